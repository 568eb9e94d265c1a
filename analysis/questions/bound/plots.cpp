#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/questions/bound/report.h"

namespace benanza::analysis {
namespace {

/// Counted layers, slowest first.
std::vector<std::size_t> slowest(const BoundReport& report) {
  std::vector<std::size_t> order;
  for (std::size_t layer = 0; layer < report.times.size(); ++layer) {
    if (is_counted(report.times[layer], report.movement)) order.push_back(layer);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t layer) { return *report.times[layer].seconds; });
  return order;
}

Bars slowest_plot(const BoundReport& report) {
  constexpr std::size_t most = 15;
  std::vector<std::string> names;
  Series series{.name = "us", .values = {}};
  for (const std::size_t layer : slowest(report)) {
    if (names.size() == most) break;
    names.push_back(report.graph->layers[layer].name);
    series.values.emplace_back(*report.times[layer].seconds * 1e6);
  }
  return {.title = "Layers that take the most of the " + std::string(sum_names(report.filter).sum),
          .categories = names,
          .series = {series},
          .unit = "us",
          .decimals = 1};
}

/// FLOPs per byte of a layer; Layer::bytes is for fp32.
std::optional<double> intensity(const Layer& layer, Precision precision) {
  if (!layer.flops || !layer.bytes || *layer.flops <= 0 || *layer.bytes <= 0) return std::nullopt;
  return *layer.flops / (*layer.bytes * static_cast<double>(element_bytes(precision)) / 4);
}

Roofline roofline_plot(const BoundReport& report, const std::map<std::string, PeakValues>& peaks) {
  std::vector<Roofline::Point> points;
  std::vector<std::string> ops;
  for (const std::size_t layer : slowest(report)) {
    // Layer::bytes of the last layer is not the traffic of a call for several layers.
    if (!report.times[layer].does.empty()) continue;
    const Layer& described = report.graph->layers[layer];
    const auto x = intensity(described, precision_of(described, report.filter.precision));
    if (!x) continue;
    auto op = std::ranges::find(ops, described.op);
    if (op == ops.end()) op = ops.insert(op, described.op);
    const double seconds = *report.times[layer].seconds;
    points.push_back(
        {.x = *x,
         .y = *described.flops / seconds,
         .weight = seconds,
         .label = fmt::format("{} ({}): {:.1f} us, {:.3g} FLOP/s, {:.3g} FLOP/byte", described.name,
                              described.op, seconds * 1e6, *described.flops / seconds, *x),
         .series = static_cast<std::size_t>(op - ops.begin())});
  }
  double flops = 0;
  double bytes = 0;
  const std::string name =
      "peak_" + std::string(to_string(report.filter.precision)) + "_flops_per_second";
  for (const auto& [backend, values] : peaks) {
    if (const auto found = values.find(name); found != values.end()) {
      flops = std::max(flops, found->second);
    }
    if (const auto found = values.find("peak_bytes_per_second"); found != values.end()) {
      bytes = std::max(bytes, found->second);
    }
  }
  std::vector<Roofline::Roof> roofs;
  if (flops > 0) {
    roofs.push_back(
        {.name = fmt::format("measured peaks: {:.3g} FLOP/s, {:.3g} byte/s", flops, bytes),
         .slope = bytes,
         .level = flops});
  }
  return {.title = "Layers and the roofline (area: time)",
          .points = points,
          .series = ops,
          .roofs = roofs,
          .x_name = "FLOP per byte",
          .y_name = "FLOP/s"};
}

/// The bound's time by the throughput of its calls and, if that is known of any, by their use of
/// Tensor Cores.
Bars throughput_plot(const BoundReport& report) {
  const std::vector<std::string> bins{"no arithmetic",     "below 1 GFLOP/s",  "1 to 10 GFLOP/s",
                                      "10 to 100 GFLOP/s", "0.1 to 1 TFLOP/s", "1 to 10 TFLOP/s",
                                      "10 to 100 TFLOP/s", "above 100 TFLOP/s"};
  std::vector<Series> series{
      {.name = "Tensor Cores", .values = std::vector<std::optional<double>>(bins.size())},
      {.name = "no Tensor Cores", .values = std::vector<std::optional<double>>(bins.size())},
      {.name = "not known", .values = std::vector<std::optional<double>>(bins.size())}};
  const std::vector<LayerRow> rows = layer_rows(report);
  bool is_any_known = false;
  for (const std::size_t layer : slowest(report)) {
    const LayerTime& time = report.times[layer];
    std::size_t bin = 0;
    if (const std::optional<double> rate = rows[layer].flops_per_second) {
      const double decade = std::floor(std::log10(*rate)) - 8;
      bin = static_cast<std::size_t>(std::clamp(decade, 0.0, 6.0)) + 1;
    }
    bool used = false;
    bool known = true;
    for (const Measurement* call : time.calls) {
      used = used || call->tensor_cores == true;
      known = known && call->tensor_cores.has_value();
    }
    is_any_known = is_any_known || used || known;
    auto& value = series[used ? 0 : known ? 1 : 2].values[bin];
    value = value.value_or(0) + *time.seconds * 1e3;
  }
  // Of a processor: without a legend.
  if (!is_any_known) series.erase(series.begin(), series.begin() + 2);
  return {.title = "Time of the " + std::string(sum_names(report.filter).sum) + " by throughput",
          .categories = bins,
          .series = series,
          .unit = "ms",
          .stacked = true};
}

}  // namespace

std::vector<Block> bound_plots(const BoundReport& report,
                               const std::map<std::string, PeakValues>& peaks) {
  return {slowest_plot(report), roofline_plot(report, peaks), throughput_plot(report)};
}

}  // namespace benanza::analysis
