// Question 4: where frameworks do more than the model requires.

#include <set>
#include <utility>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// A total of `inspect`'s answer about a model.
struct Inefficiency {
  std::string model{};
  const nlohmann::ordered_json* facts = nullptr;
  const nlohmann::ordered_json* total = nullptr;
};

std::string text_in(const nlohmann::ordered_json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<Section> paper_inefficiencies_section(const Study& study) {
  using Row = Inefficiency;
  std::vector<Row> rows;
  std::set<std::pair<std::string, std::string>> told;
  for (const StudiedModel& model : study.models) {
    const auto& facts = model.facts("inspect");
    if (!facts.is_object() || !facts.contains("totals")) continue;
    // Precisions without a run of their own report the same run again.
    if (!told.emplace(model.name(), facts.value("precision", "")).second) continue;
    for (const auto& total : facts["totals"]) rows.push_back({model.name(), &facts, &total});
  }
  if (rows.empty()) return std::nullopt;
  const auto of_facts = [](const char* field) {
    return [field](const Row& row) { return text_in(*row.facts, field); };
  };
  const auto of_total = [](const char* field) {
    return [field](const Row& row) { return text_in(*row.total, field); };
  };
  const Table<Row> table{
      {"model", "model", &Row::model},
      {"framework", "framework", of_facts("framework")},
      {"precision", "precision", of_facts("precision")},
      {"difference", "difference", of_total("difference")},
      {"what", "what", of_total("what")},
      {"times", "count", [](const Row& row) { return row.total->value("count", std::size_t{0}); }},
      {"ms", "seconds", milli, [](const Row& row) { return number_in(*row.total, "seconds"); }},
      {"what to do", "advice", of_total("advice")}};
  Section section;
  section.add(
      "From the frameworks' traces: operators and kernels that no layer of the model asks for.");
  section.add(table.sheet(rows, {.name = "inefficiencies",
                                 .caption = "What frameworks do beyond the model",
                                 .all_rows = true}));
  return section;
}

}  // namespace

Chapter inefficiencies_chapter() {
  return {.title = "Question 4: inefficiencies of frameworks",
          .section = paper_inefficiencies_section,
          .place = 40};
}

}  // namespace benanza::analysis
