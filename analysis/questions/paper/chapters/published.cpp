// Figures that the paper reports, next to the same figures here.

#include "analysis/questions/paper/study.h"

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

std::optional<double> largest(const Study& study, const Published& one) {
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
      factor = ratio(model.number("tensor-cores", "/totals/without_seconds"),
                     model.number("tensor-cores", "/totals/with_seconds"));
    }
    if (factor && (!most || *factor > *most)) most = factor;
  }
  return most;
}

std::optional<Section> section(const Study& study) {
  Sheet sheet{.name = "published",
              .caption = "Speed-ups that the paper reports",
              .columns = {{"what", "what"},
                          {"device", "device"},
                          {"paper", "published", true},
                          {"here", "measured", true},
                          {"ratio", "ratio", true}},
              .all_rows = true};
  for (const Published& one : reported) {
    const auto here = largest(study, one);
    if (!here) continue;
    sheet.rows.push_back({text_cell(one.what), text_cell(one.device), factor_cell(one.factor),
                          factor_cell(here), ratio_cell(ratio(here, one.factor))});
  }
  if (sheet.rows.empty()) return std::nullopt;
  Section section;
  section.add(
      "From C. Li, A. Dakkak, J. Xiong, W.-M. Hwu, \"Benanza\", IPDPS 2020: other devices, older "
      "libraries, and the optimisations of that time.");
  section.add(std::move(sheet));
  return section;
}

}  // namespace

Chapter published_chapter() {
  return {.title = "The paper's own figures", .section = section, .place = 90};
}

}  // namespace benanza::analysis
