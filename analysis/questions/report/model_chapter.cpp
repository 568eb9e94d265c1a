#include "analysis/questions/report/model_chapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/render/svg.h"

namespace benanza::analysis {
namespace {

using Values = std::vector<std::optional<double>>;

std::string heading(const ModelAnswers& model) {
  return title(*model.graph) + ", " + std::string(to_string(model.choice.precision));
}

std::optional<double> in_milliseconds(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  return *seconds * 1e3;
}

std::optional<double> ratio(double seconds, std::optional<double> measured) {
  if (!measured) return std::nullopt;
  return seconds / *measured;
}

std::string spread_text(const Bound& bound) {
  std::string text = fmt::format("{:.3f} ms", bound.seconds * 1e3);
  if (!bound.spread) return text;
  return text +
         fmt::format(" (95%: {:.3f} to {:.3f})", bound.spread->low * 1e3, bound.spread->high * 1e3);
}

/// Counted layers, the slowest first.
std::vector<std::size_t> slowest(const ModelAnswers& model) {
  std::vector<std::size_t> order;
  for (std::size_t layer = 0; layer < model.times.size(); ++layer) {
    if (is_counted(model.times[layer], model.movement)) order.push_back(layer);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t layer) { return *model.times[layer].seconds; });
  return order;
}

std::string slowest_plot(const ModelAnswers& model) {
  constexpr std::size_t most = 15;
  std::vector<std::string> names;
  svg::Series series{.name = "us", .values = {}};
  for (const std::size_t layer : slowest(model)) {
    if (names.size() == most) break;
    names.push_back(model.graph->layers[layer].name);
    series.values.emplace_back(*model.times[layer].seconds * 1e6);
  }
  return svg::bars("Layers that take the most of the bound", names, {series}, "us", 1);
}

std::string lost_plot(const ModelAnswers& model) {
  constexpr std::size_t most = 12;
  std::vector<std::pair<double, std::string>> losses;
  for (const AlgorithmRow& row : model.algorithms) {
    const double loss = row.heuristic_loss().value_or(0);
    if (loss > 0) losses.emplace_back(loss, model.graph->layers[row.layer].name);
  }
  std::ranges::stable_sort(losses, std::ranges::greater{},
                           [](const auto& loss) { return loss.first; });
  if (losses.size() > most) losses.resize(most);
  if (losses.empty()) return "";
  std::vector<std::string> names;
  svg::Series series{.name = "us", .values = {}};
  for (const auto& [loss, name] : losses) {
    names.push_back(name);
    series.values.emplace_back(loss * 1e6);
  }
  return svg::bars("Layers that lose most to the library's choice of algorithm", names, {series},
                   "us", 1);
}

/// From no optimisation to all, one after the other.
std::string waterfall_plot(const ModelAnswers& model) {
  const auto seconds = [&](const Optimisations& on) {
    const std::string name = to_string(on);
    return std::ranges::find_if(model.joint.rows,
                                [&](const JointRow& row) { return to_string(row.on) == name; })
        ->seconds;
  };
  Optimisations on;
  std::vector<std::pair<std::string, double>> steps;
  if (model.measured_seconds) {
    steps.emplace_back(model.framework + ", measured", *model.measured_seconds * 1e3);
  }
  steps.emplace_back("the library's algorithms", seconds(on) * 1e3);
  on.algorithms = true;
  steps.emplace_back("best algorithms", seconds(on) * 1e3);
  on.fusion = true;
  steps.emplace_back("fusion", seconds(on) * 1e3);
  if (model.tensor_cores) {
    on.tensor_cores = true;
    steps.emplace_back(
        fmt::format("Tensor Cores ({})", to_string(model.joint.tensor_core_precision)),
        seconds(on) * 1e3);
  }
  on.parallel = true;
  steps.emplace_back("parallel layers", seconds(on) * 1e3);
  steps.emplace_back("all together", seconds(on) * 1e3);
  return svg::waterfall("What the optimisations gain, one after the other", steps, "ms");
}

/// FLOPs per byte of a layer; its bytes are stated for fp32.
std::optional<double> intensity(const Layer& layer, Precision precision) {
  if (!layer.flops || !layer.bytes || *layer.flops <= 0 || *layer.bytes <= 0) return std::nullopt;
  return *layer.flops / (*layer.bytes * static_cast<double>(element_bytes(precision)) / 4);
}

std::string roofline_plot(const ModelAnswers& model,
                          const std::map<std::string, PeakValues>& peaks) {
  std::vector<svg::Point> points;
  std::vector<std::string> ops;
  for (const std::size_t layer : slowest(model)) {
    const Layer& described = model.graph->layers[layer];
    const auto x = intensity(described, model.choice.precision);
    if (!x) continue;
    auto op = std::ranges::find(ops, described.op);
    if (op == ops.end()) op = ops.insert(op, described.op);
    const double seconds = *model.times[layer].seconds;
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
      "peak_" + std::string(to_string(model.choice.precision)) + "_flops_per_second";
  for (const auto& [backend, values] : peaks) {
    if (const auto found = values.find(name); found != values.end()) {
      flops = std::max(flops, found->second);
    }
    if (const auto found = values.find("peak_bytes_per_second"); found != values.end()) {
      bytes = std::max(bytes, found->second);
    }
  }
  std::vector<svg::Roof> roofs;
  if (flops > 0) {
    roofs.push_back(
        {.name = fmt::format("measured peaks: {:.3g} FLOP/s, {:.3g} byte/s", flops, bytes),
         .slope = bytes,
         .level = flops});
  }
  return svg::roofline("Layers and the roofline (area: time)", points, ops, roofs, "FLOP per byte",
                       "FLOP/s");
}

/// Time of the bound by what its calls reach, and whether they use Tensor Cores.
std::string throughput_plot(const ModelAnswers& model) {
  const std::vector<std::string> bins{"no arithmetic",     "below 1 GFLOP/s",  "1 to 10 GFLOP/s",
                                      "10 to 100 GFLOP/s", "0.1 to 1 TFLOP/s", "1 to 10 TFLOP/s",
                                      "10 to 100 TFLOP/s", "above 100 TFLOP/s"};
  std::vector<svg::Series> series{{.name = "Tensor Cores", .values = Values(bins.size())},
                                  {.name = "no Tensor Cores", .values = Values(bins.size())},
                                  {.name = "not known", .values = Values(bins.size())}};
  for (const std::size_t layer : slowest(model)) {
    const LayerTime& time = model.times[layer];
    const double flops = model.graph->layers[layer].flops.value_or(0);
    std::size_t bin = 0;
    if (flops > 0) {
      const double decade = std::floor(std::log10(flops / *time.seconds)) - 8;
      bin = static_cast<std::size_t>(std::clamp(decade, 0.0, 6.0)) + 1;
    }
    bool used = false;
    bool known = true;
    for (const Measurement* call : time.calls) {
      used = used || call->tensor_cores == true;
      known = known && call->tensor_cores.has_value();
    }
    auto& value = series[used ? 0 : known ? 1 : 2].values[bin];
    value = value.value_or(0) + *time.seconds * 1e3;
  }
  return svg::stacked("Time of the bound by throughput", bins, series, "ms");
}

Sheet layers_sheet(const ModelAnswers& model) {
  Sheet sheet{.name = "layers",
              .caption = "layers, the slowest first",
              .columns = {{"layer", "layer"},
                          {"op", "op"},
                          {"us", "seconds", true},
                          {"share", "share", true},
                          {"GFLOP/s", "flops_per_second", true},
                          {"critical path", "critical"},
                          {"calls", "calls"}},
              .rows = {}};
  const auto& path = model.bounds.path;
  for (const std::size_t layer : slowest(model)) {
    const Layer& described = model.graph->layers[layer];
    const double seconds = *model.times[layer].seconds;
    const double flops = described.flops.value_or(0);
    sheet.rows.push_back({text_cell(described.name),
                          text_cell(described.op),
                          us_cell(seconds),
                          percent_cell(seconds / model.bounds.sequential.seconds),
                          {.shown = flops > 0 ? fmt::format("{:.1f}", flops / seconds * 1e-9) : "-",
                           .value = nullptr},
                          text_cell(std::ranges::find(path, layer) != path.end() ? "yes" : ""),
                          text_cell(calls_text(model.times[layer]))});
  }
  return sheet;
}

}  // namespace

Chapter overview_chapter(const std::vector<ModelAnswers>& models) {
  Chapter chapter{.title = "Overview", .plots = {}, .section = {}};
  Sheet sheet{.name = "models",
              .caption = "all models",
              .columns = {{"model", "model"},
                          {"LBL sequential ms", "sequential_seconds", true},
                          {"LBL parallel ms", "parallel_seconds", true},
                          {"framework", "framework"},
                          {"measured ms", "measured_seconds", true},
                          {"BR sequential", "sequential_ratio", true},
                          {"BR parallel", "parallel_ratio", true},
                          {"all optimisations ms", "joint_seconds", true}},
              .rows = {}};
  std::vector<std::string> names;
  svg::Series sequential{.name = "LBL sequential", .values = {}};
  svg::Series parallel{.name = "LBL parallel", .values = {}};
  svg::Series measured{.name = "measured", .values = {}};
  svg::Series ratio_sequential{.name = "BR sequential", .values = {}};
  svg::Series ratio_parallel{.name = "BR parallel", .values = {}};
  for (const ModelAnswers& model : models) {
    const double s = model.bounds.sequential.seconds;
    const double p = model.bounds.parallel.seconds;
    names.push_back(heading(model));
    sequential.values.emplace_back(s * 1e3);
    parallel.values.emplace_back(p * 1e3);
    measured.values.push_back(in_milliseconds(model.measured_seconds));
    ratio_sequential.values.push_back(ratio(s, model.measured_seconds));
    ratio_parallel.values.push_back(ratio(p, model.measured_seconds));
    const auto shown = [](std::optional<double> value) {
      return Cell{.shown = value ? fmt::format("{:.3f}", *value) : "-", .value = nullptr};
    };
    sheet.rows.push_back(
        {text_cell(heading(model)), ms_cell(s), ms_cell(p), text_cell(model.framework),
         ms_cell(model.measured_seconds), shown(ratio(s, model.measured_seconds)),
         shown(ratio(p, model.measured_seconds)), ms_cell(model.joint.rows.back().seconds)});
  }
  const bool any = std::ranges::any_of(
      models, [](const ModelAnswers& model) { return model.measured_seconds.has_value(); });
  if (any) {
    chapter.plots.push_back(svg::bars("Benanza ratio: LBL / measured latency", names,
                                      {ratio_sequential, ratio_parallel}, ""));
    chapter.plots.push_back(svg::bars("Lower bound and measured latency", names,
                                      {sequential, parallel, measured}, "ms"));
  } else {
    chapter.plots.push_back(svg::bars("Lower bound", names, {sequential, parallel}, "ms"));
  }
  chapter.section.sheets.push_back(std::move(sheet));
  return chapter;
}

std::vector<Chapter> model_chapters(const ModelAnswers& model,
                                    const std::map<std::string, PeakValues>& peaks) {
  const std::string name = heading(model);
  std::vector<Chapter> chapters;
  Chapter bound{.title = name, .plots = {}, .section = model_section(*model.graph, model.choice)};
  bound.section.lines.push_back("LBL sequential " + spread_text(model.bounds.sequential) +
                                ", parallel " + spread_text(model.bounds.parallel));
  bound.plots = {waterfall_plot(model), slowest_plot(model), roofline_plot(model, peaks),
                 throughput_plot(model)};
  bound.section.sheets.push_back(layers_sheet(model));
  chapters.push_back(std::move(bound));
  chapters.push_back({.title = name + ": together",
                      .plots = {},
                      .section = joint_section(*model.graph, model.choice, model.joint)});
  chapters.push_back(
      {.title = name + ": algorithms",
       .plots = {lost_plot(model)},
       .section = algorithms_section(*model.graph, model.choice, model.algorithms, model.picks)});
  chapters.push_back(fusion_chapter(name, model.fusion));
  if (model.tensor_cores) {
    chapters.push_back({.title = name + ": Tensor Cores",
                        .plots = {},
                        .section = tensor_cores_section(*model.graph, *model.tensor_cores)});
  }
  if (model.inspection) {
    chapters.push_back(inspect_chapter(name, *model.run, *model.inspection));
  }
  chapters.push_back(
      {.title = name + ": layouts",
       .plots = {},
       .section = layouts_section(*model.graph, model.choice, model.layouts, model.bounds)});
  return chapters;
}

}  // namespace benanza::analysis
