// How close the calls come to the device's peak: the distribution of the bound's time over the
// throughput of its calls, and rooflines (as C. Coleman et al. did for entries of DAWNBench and
// MLPerf, "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning Performance Benchmark",
// 2019).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

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

std::vector<Call> calls_of(const StudiedModel& model) {
  std::vector<Call> calls;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("layers")) return calls;
  for (const auto& layer : facts["layers"]) {
    const auto seconds = number_in(layer, "seconds");
    if (!seconds || *seconds <= 0) continue;
    calls.push_back({.seconds = *seconds,
                     .flops = number_in(layer, "flops").value_or(0),
                     .bytes = number_in(layer, "bytes").value_or(0),
                     .op = layer.value("op", ""),
                     .layer = layer.value("name", "")});
  }
  return calls;
}

/// Share of the time spent in calls that reach at least `share` of the peak.
double share_at(const std::vector<Call>& calls, double peak, double share) {
  double all = 0;
  double above = 0;
  for (const Call& call : calls) {
    all += call.seconds;
    if (call.flops / call.seconds >= share * peak) above += call.seconds;
  }
  return all > 0 ? above / all : 0;
}

/// The operators with the most time, in descending order; as many as colours can distinguish.
std::vector<std::string> largest_operators(const std::vector<Call>& calls) {
  constexpr std::size_t most = 8;
  std::map<std::string, double> seconds;
  for (const Call& call : calls) seconds[call.op] += call.seconds;
  std::vector<std::string> names;
  for (const auto& [op, all] : seconds) names.push_back(op);
  std::ranges::stable_sort(names, std::ranges::greater{},
                           [&](const std::string& op) { return seconds.at(op); });
  if (names.size() > most + 1) names.resize(most);
  return names;
}

/// Identical calls are one point.
Roofline roofline_of(std::string title, const std::vector<Call>& calls, double flops_peak,
                     double bytes_peak) {
  Roofline plot{.title = std::move(title),
                .series = largest_operators(calls),
                .roofs = {{fmt::format("peak: {:.3g} TFLOP/s, {:.3g} TB/s", flops_peak / 1e12,
                                       bytes_peak / 1e12),
                           bytes_peak, flops_peak}},
                .x_name = "FLOPs per byte",
                .y_name = "FLOP/s"};
  const std::size_t others = plot.series.size();
  std::map<std::tuple<std::string, double, double, double>, std::size_t> known;
  for (const Call& call : calls) {
    if (call.flops <= 0 || call.bytes <= 0) continue;
    const auto [same, is_new] =
        known.try_emplace({call.op, call.flops, call.bytes, call.seconds}, plot.points.size());
    if (!is_new) {
      plot.points[same->second].weight += call.seconds;
      continue;
    }
    const auto found = std::find(
        plot.series.begin(), plot.series.begin() + static_cast<std::ptrdiff_t>(others), call.op);
    const auto series = static_cast<std::size_t>(found - plot.series.begin());
    if (series == others && plot.series.size() == others) plot.series.emplace_back("others");
    plot.points.push_back({.x = call.flops / call.bytes,
                           .y = call.flops / call.seconds,
                           .weight = call.seconds,
                           .label = call.layer,
                           .series = series});
  }
  return plot;
}

/// Percentage of the time of `calls` spent in calls that reach at least a given share of the peak.
Curves::Curve curve_of(std::string name, const std::vector<Call>& calls, double peak) {
  // At small batch sizes most of the time is far below the peak.
  constexpr double percents[] = {0,  0.5, 1,  2,  3,  5,  7,  10, 15, 20, 25,
                                 30, 40,  50, 60, 70, 75, 80, 85, 90, 95, 100};
  Curves::Curve curve{.name = std::move(name), .points = {}};
  for (const double percent : percents) {
    curve.points.emplace_back(percent, share_at(calls, peak, percent / 100) * 100);
  }
  return curve;
}

/// The calls of a model, beside the device's peaks.
struct ModelCalls {
  const StudiedModel* model = nullptr;
  std::vector<Call> calls{};
  double peak = 0;
  std::optional<double> bandwidth{};
};

std::vector<ModelCalls> paper_throughput_rows_of(const AtPrecision& at) {
  std::vector<ModelCalls> rows;
  for (const StudiedModel* model : at.models) {
    const auto peak = model->number("bound", "/ladder/peak_flops_per_second");
    std::vector<Call> calls = calls_of(*model);
    if (!peak || calls.empty()) continue;
    rows.push_back(
        {model, std::move(calls), *peak, model->number("bound", "/ladder/peak_bytes_per_second")});
  }
  return rows;
}

void paper_throughput_add_precision(Section& section, const AtPrecision& at) {
  const std::vector<ModelCalls> rows = paper_throughput_rows_of(at);
  if (rows.empty()) return;
  std::vector<Call> all;
  std::map<std::int64_t, std::vector<Call>> by_batch;  // 0: any
  for (const ModelCalls& row : rows) {
    all.insert(all.end(), row.calls.begin(), row.calls.end());
    auto& of_batch = by_batch[row.model->batch().value_or(0)];
    of_batch.insert(of_batch.end(), row.calls.begin(), row.calls.end());
  }
  const auto& [model, calls, peak, bandwidth] = rows.back();
  const std::string of = rows.size() == 1 ? marked(*model) : "all models";
  Curves curves{.title = "Time in calls that reach a share of the peak, " + at.word + ", " + of,
                .x_name = "% of the peak, or more",
                .y_name = "% of the time",
                .of_shares = true};
  for (const auto& [batch, of_batch] : by_batch) {
    const std::string name = batch > 0 ? "batch " + std::to_string(batch) : "any batch";
    curves.curves.push_back(curve_of(name, of_batch, peak));
  }
  section.add(std::move(curves));
  if (bandwidth) {
    section.add(
        roofline_of("Layers below the roof, " + at.word + ", " + of, all, peak, *bandwidth));
  }
  Table<ModelCalls> table{
      {"model", "model", [](const ModelCalls& row) { return marked(*row.model); }}};
  for (const double step : steps) {
    const std::string text = std::to_string(static_cast<int>(step * 100 + 0.5));
    table.add({">= " + text + "%", "at_least_" + text + "_percent", percent,
               [step](const ModelCalls& row) { return share_at(row.calls, row.peak, step); }});
  }
  section.add(
      table.sheet(rows, {.name = "throughput_" + at.word,
                         .caption = "Time in calls that reach a share of the peak, " + at.word,
                         .all_rows = true}));
}

}  // namespace

Chapter throughput_chapter() {
  return {.title = "Throughput of the calls",
          .introduction =
              "The share of the bound's time that is spent in calls which reach a part of the peak "
              "arithmetic that was measured for the precision. Winograd and FFT do with less "
              "arithmetic than is counted: such calls may lie above the roof.",
          .add = paper_throughput_add_precision,
          .place = 80};
}

}  // namespace benanza::analysis
