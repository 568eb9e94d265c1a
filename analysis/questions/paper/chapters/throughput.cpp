// How close the calls come to what the device can do: the distribution of the bound's time over the
// throughput of its calls, and rooflines. (As C. Coleman et al. did for entries of DAWNBench and
// MLPerf, "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance Benchmark",
// 2019.)

#include <algorithm>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

constexpr double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7};

struct Call {
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
  std::string op;
  std::string layer;
};

std::optional<double> number_of(const nlohmann::ordered_json& object, const char* field) {
  if (!object.contains(field) || !object[field].is_number()) return std::nullopt;
  return object[field].get<double>();
}

std::vector<Call> calls_of(const StudiedModel& model) {
  std::vector<Call> calls;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("layers")) return calls;
  for (const auto& layer : facts["layers"]) {
    const auto seconds = number_of(layer, "seconds");
    if (!seconds || *seconds <= 0) continue;
    calls.push_back({.seconds = *seconds,
                     .flops = number_of(layer, "flops").value_or(0),
                     .bytes = number_of(layer, "bytes").value_or(0),
                     .op = layer.value("op", ""),
                     .layer = layer.value("name", "")});
  }
  return calls;
}

/// Of the time, the part in calls that reach at least that share of the peak.
double share_at(const std::vector<Call>& calls, double peak, double share) {
  double all = 0;
  double above = 0;
  for (const Call& call : calls) {
    all += call.seconds;
    if (call.flops / call.seconds >= share * peak) above += call.seconds;
  }
  return all > 0 ? above / all : 0;
}

Roofline roofline_of(const StudiedModel& model, const std::vector<Call>& calls, double flops_peak,
                     double bytes_peak) {
  Roofline plot{.title = model.name() + ": layers below the roof",
                .roofs = {{"peak", bytes_peak, flops_peak}},
                .x_name = "FLOPs per byte",
                .y_name = "FLOP/s"};
  for (const Call& call : calls) {
    if (call.flops <= 0 || call.bytes <= 0) continue;
    const auto known = std::ranges::find(plot.series, call.op);
    const auto series = static_cast<std::size_t>(known - plot.series.begin());
    if (known == plot.series.end()) plot.series.push_back(call.op);
    plot.points.push_back({.x = call.flops / call.bytes,
                           .y = call.flops / call.seconds,
                           .weight = call.seconds,
                           .label = call.layer,
                           .series = series});
  }
  return plot;
}

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "The share of the bound's time that is spent in calls which reach a part of the peak "
      "arithmetic that was measured for the precision.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    const std::string word(to_string(precision));
    Sheet sheet{.name = "throughput_" + word,
                .caption = "Time in calls that reach a share of the peak, " + word,
                .columns = {{"model", "model"}},
                .all_rows = true};
    for (const double step : steps) {
      const std::string percent = std::to_string(static_cast<int>(step * 100 + 0.5));
      sheet.columns.push_back({">= " + percent + "%", "at_least_" + percent + "_percent", true});
    }
    const StudiedModel* longest = nullptr;
    double most = 0;
    for (const StudiedModel* model : study.at(precision)) {
      const auto peak = model->number("bound", "/ladder/peak_flops_per_second");
      const std::vector<Call> calls = calls_of(*model);
      if (!peak || calls.empty()) continue;
      std::vector<Cell> row{text_cell(marked(*model))};
      for (const double step : steps) row.push_back(percent_cell(share_at(calls, *peak, step)));
      sheet.rows.push_back(std::move(row));
      const double seconds = model->number("bound", "/bounds/sequential/seconds").value_or(0);
      if (seconds > most) {
        most = seconds;
        longest = model;
      }
    }
    if (sheet.rows.empty()) continue;
    any = true;
    section.add(std::move(sheet));
    const auto bandwidth = longest->number("bound", "/ladder/peak_bytes_per_second");
    if (bandwidth) {
      section.add(roofline_of(*longest, calls_of(*longest),
                              *longest->number("bound", "/ladder/peak_flops_per_second"),
                              *bandwidth));
    }
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter throughput_chapter() {
  return {.title = "Throughput of the calls", .section = section, .place = 80};
}

}  // namespace benanza::analysis
