// Question 3: what the libraries' own choice of algorithms costs.

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "What each product loses if the library's heuristic chooses its algorithm, and what the "
      "framework's choice loses where its profile names it.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    const std::string word(to_string(precision));
    Sheet sheet{.name = "algorithms_" + word,
                .caption = "Choice of algorithms at " + word,
                .columns = {{"model", "model"},
                            {"products", "products", true},
                            {"best, ms", "best_seconds", true},
                            {"heuristic loses, ms", "heuristic_loss_seconds", true},
                            {"share", "heuristic_loss_share", true},
                            {"worse choices", "heuristic_misses", true},
                            {"framework loses, ms", "framework_loss_seconds", true},
                            {"of products known", "framework_known", true}},
                .all_rows = true};
    Bars bars{.title = "Lost by the choice of algorithms, " + word + ", % of the products' time",
              .series = {{"heuristic", {}}},
              .unit = "%",
              .decimals = 1};
    for (const StudiedModel* model : study.at(precision)) {
      const auto number = [&](const char* pointer) { return model->number("algorithms", pointer); };
      const auto count = [&](const char* pointer) {
        const auto value = number(pointer);
        return value ? count_cell(static_cast<std::size_t>(*value)) : Cell{"-", nullptr};
      };
      const auto best = number("/totals/best_seconds");
      const auto loss = number("/totals/heuristic_loss_seconds");
      if (!best || *best == 0) continue;
      any = true;
      const auto share = ratio(loss, best);
      sheet.rows.push_back({text_cell(model->name()), count("/totals/products"), ms_cell(best),
                            ms_cell(loss), percent_cell(share), count("/totals/heuristic_misses"),
                            ms_cell(number("/framework_totals/loss_seconds")),
                            count("/framework_totals/known")});
      bars.categories.push_back(model->name());
      bars.series[0].values.push_back(share ? std::optional(*share * 100) : std::nullopt);
    }
    if (sheet.rows.empty()) continue;
    section.add(std::move(bars));
    section.add(std::move(sheet));
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter algorithms_chapter() {
  return {.title = "Question 3: convolution algorithms", .section = section, .place = 30};
}

}  // namespace benanza::analysis
