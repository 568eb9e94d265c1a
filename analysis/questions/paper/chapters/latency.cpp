// Questions 1 and 2: the lower bound, one layer after the other and with parallel layers, beside
// what frameworks take.

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

struct Framework {
  std::string name;
  double seconds = 0;
  std::optional<double> ratio;
};

std::string text_of(const nlohmann::ordered_json& facts, const char* field) {
  return facts.contains(field) && facts[field].is_string() ? facts[field].get<std::string>() : "";
}

std::vector<Framework> frameworks(const StudiedModel& model) {
  std::vector<Framework> found;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("profiles")) return found;
  const auto add = [&](const std::string& name, const nlohmann::ordered_json& seconds,
                       const nlohmann::ordered_json& ratios) {
    if (!seconds.is_number()) return;
    Framework one{.name = name, .seconds = seconds.get<double>(), .ratio = {}};
    if (ratios.is_object() && ratios.value("sequential", nlohmann::ordered_json()).is_number()) {
      one.ratio = ratios["sequential"].get<double>();
    }
    found.push_back(std::move(one));
  };
  const std::string_view asked = to_string(model.subject().filter.precision);
  for (const auto& profile : facts["profiles"]) {
    const std::string precision = text_of(profile, "precision");
    if (!precision.empty() && precision != asked) continue;
    const std::string name = text_of(profile, "framework") + ' ' + text_of(profile, "version");
    if (profile.contains("latency_seconds")) {
      add(name, profile["latency_seconds"],
          profile.value("benanza_ratio", nlohmann::ordered_json()));
    }
    if (profile.contains("cuda_graph") && profile["cuda_graph"].is_object()) {
      const auto& graph = profile["cuda_graph"];
      add(name + ", CUDA graph", graph.value("seconds", nlohmann::ordered_json()),
          graph.value("benanza_ratio", nlohmann::ordered_json()));
    }
  }
  return found;
}

void add_precision(Section& section, const Study& study, Precision precision) {
  const auto models = study.at(precision);
  const std::string word(to_string(precision));
  Sheet sheet{.name = "latency_" + word,
              .caption = "Lower-bound latency at " + word + ", ms",
              .columns = {{"model", "model"},
                          {"floor", "floor_seconds", true},
                          {"with fusion", "fused_seconds", true},
                          {"LBL sequential", "sequential_seconds", true},
                          {"LBL parallel", "parallel_seconds", true},
                          {"parallel gains", "parallel_speed_up", true},
                          {"with movement", "with_movement_seconds", true}},
              .all_rows = true};
  Sheet measured{
      .name = "frameworks_" + word,
      .caption = "Frameworks at " + word + ": latency, and the share that the bound is (BR)",
      .columns = {{"model", "model"},
                  {"framework", "framework"},
                  {"latency, ms", "seconds", true},
                  {"BR", "benanza_ratio", true}},
      .all_rows = true};
  Bars bars{.title = "Lower-bound latency and frameworks, " + word + ", ms",
            .series = {{"with fusion", {}},
                       {"LBL parallel", {}},
                       {"LBL sequential", {}},
                       {"framework", {}}},
            .unit = "ms"};
  for (const StudiedModel* model : models) {
    const auto seconds = [&](const char* pointer) { return model->number("bound", pointer); };
    const auto sequential = seconds("/bounds/sequential/seconds");
    const auto parallel = seconds("/bounds/parallel/seconds");
    const auto fused = seconds("/ladder/fused_seconds");
    sheet.rows.push_back({text_cell(marked(*model)), ms_cell(seconds("/ladder/floor/seconds")),
                          ms_cell(fused), ms_cell(sequential), ms_cell(parallel),
                          factor_cell(ratio(sequential, parallel)),
                          ms_cell(seconds("/bounds_with_movement/sequential/seconds"))});
    std::optional<double> fastest;
    for (const Framework& one : frameworks(*model)) {
      measured.rows.push_back({text_cell(model->name()), text_cell(one.name), ms_cell(one.seconds),
                               ratio_cell(one.ratio)});
      if (!fastest || one.seconds < *fastest) fastest = one.seconds;
    }
    const auto ms = [](std::optional<double> s) { return s ? std::optional(*s * 1e3) : s; };
    bars.categories.push_back(marked(*model));
    bars.series[0].values.push_back(ms(fused));
    bars.series[1].values.push_back(ms(parallel));
    bars.series[2].values.push_back(ms(sequential));
    bars.series[3].values.push_back(ms(fastest));
  }
  section.add(std::move(bars));
  section.add(std::move(sheet));
  if (!measured.rows.empty()) section.add(std::move(measured));
  if (const auto note = note_on_marks(models)) section.add(*note);
}

std::optional<Section> section(const Study& study) {
  if (study.models.empty()) return std::nullopt;
  Section section;
  section.add(
      "The lower-bound latency (LBL) adds the fastest measured call of every layer; parallel: "
      "along the critical path. The framework shown is the fastest that was measured.");
  for (const Precision precision : study.precisions()) add_precision(section, study, precision);
  return section;
}

}  // namespace

Chapter latency_chapter() {
  return {.title = "Questions 1 and 2: latency, sequential and parallel",
          .section = section,
          .place = 20};
}

}  // namespace benanza::analysis
