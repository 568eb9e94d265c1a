// Figures that the paper reports, next to the same figures here.

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// C. Li, A. Dakkak, J. Xiong, W.-M. Hwu, IPDPS 2020.
struct Published {
  const char* what;
  const char* device;
  double factor;
  const char* question;
  const char* model;
};

constexpr Published reported[] = {
    {"Tensor Cores, up to (any model)", "TITAN V", 1.72, "tensor-cores", ""},
    {"all optimisations together, ResNet-50", "TITAN V", 1.95, "joint", "resnet50"},
    {"all optimisations together, ResNet-50", "V100", 1.8, "joint", "resnet50"},
};

std::optional<double> paper_published_largest(const Study& study, const Published& one) {
  std::optional<double> most;
  for (const StudiedModel& model : study.models) {
    if (model.subject().filter.precision != Precision::fp32) continue;
    if (!model.subject().graph.model.starts_with(one.model)) continue;
    std::optional<double> factor;
    if (std::string_view(one.question) == "joint") {
      const auto& facts = model.facts("joint");
      if (!facts.is_object() || !facts.contains("subsets") || facts["subsets"].empty()) continue;
      const auto& all = facts["subsets"].back();
      if (all["speed_up"].is_number()) factor = all["speed_up"].get<double>();
    } else {
      factor = quotient(model.number("tensor-cores", "/totals/without_seconds"),
                        model.number("tensor-cores", "/totals/with_seconds"));
    }
    if (factor && (!most || *factor > *most)) most = factor;
  }
  return most;
}

std::optional<Section> paper_published_section(const Study& study) {
  struct Row {
    Published paper;
    double here;
  };
  std::vector<Row> rows;
  for (const Published& one : reported) {
    if (const auto here = paper_published_largest(study, one)) rows.push_back({one, *here});
  }
  if (rows.empty()) return std::nullopt;
  const Table<Row> table{
      {"what", "what", [](const Row& row) { return row.paper.what; }},
      {"device", "device", [](const Row& row) { return row.paper.device; }},
      {"paper", "published", times, [](const Row& row) { return row.paper.factor; }},
      {"here", "measured", times, &Row::here},
      {"ratio", "ratio", thousandths,
       [](const Row& row) { return quotient(row.here, row.paper.factor); }}};
  Section section;
  section.add(
      "From C. Li, A. Dakkak, J. Xiong, W.-M. Hwu, \"Benanza\", IPDPS 2020: other devices, older "
      "libraries, and the optimisations of that time.");
  section.add(table.sheet(
      rows,
      {.name = "published", .caption = "Speed-ups that the paper reports", .all_rows = true}));
  return section;
}

}  // namespace

Chapter published_chapter() {
  return {.title = "The paper's own figures", .section = paper_published_section, .place = 90};
}

}  // namespace benanza::analysis
