#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/questions/common/answers.h"
#include "analysis/questions/bound/report.h"
#include "analysis/render/duration.h"
#include "analysis/questions/bound/layer_row.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t names_listed = 6;

std::string arithmetic(const std::optional<double>& flops) {
  if (!flops) return "FLOPs unknown";
  if (*flops >= 1e8) return fmt::format("{:.3f} GFLOP", *flops * 1e-9);
  if (*flops >= 1e5) return fmt::format("{:.3f} MFLOP", *flops * 1e-6);
  return fmt::format("{:.0f} FLOP", *flops);
}

std::string coverage_lines(const BoundReport& report) {
  TextTable table({{"coverage"}, {"layers", true}, {"arithmetic", true}, {""}});
  for (const Standing standing : standings) {
    const Tally& tally = report.coverage.of(standing);
    if (standing == Standing::missing && tally.layers == 0) continue;
    std::string remark;
    if (standing == Standing::measured && report.coverage.at_fallback > 0) {
      remark = fmt::format("{} of them at {}", report.coverage.at_fallback,
                           to_string(*report.choice.fallback));
    }
    if (standing == Standing::movement && tally.layers > 0) {
      remark = report.movement == Movement::include ? "in the bound" : "not in the bound";
    }
    if (standing == Standing::missing) remark = "not in the bound: it is PARTIAL";
    table.add({std::string(to_string(standing)), std::to_string(tally.layers),
               tally.layers > 0 ? arithmetic(tally.flops) : "-", remark});
  }
  return table.text();
}

std::string bound_lines(const BoundReport& report) {
  const std::string partial = report.is_partial() ? "  PARTIAL" : "";
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<16}{}\n", name, value);
  };
  const Bounds& bounds = report.bounds;
  line("LBL sequential", with_spread(bounds.sequential) + partial);
  line("LBL parallel", with_spread(bounds.parallel) + partial);
  if (report.coverage.of(Standing::movement).layers == 0) {
    line("with movement", "the same: no layer in it only moves bytes");
  } else {
    const Bounds& moved = report.with_movement;
    line("with movement", fmt::format("sequential {}, parallel {}{}", with_spread(moved.sequential),
                                      with_spread(moved.parallel), partial));
    const auto unknown = std::count_if(
        report.times.begin(), report.times.end(),
        [](const LayerTime& time) { return time.standing == Standing::movement && !time.seconds; });
    if (unknown > 0) line("", fmt::format("without {} that have no benchmark", unknown));
  }
  if (const Assumed& assumed = report.assumed; assumed.layers > 0) {
    line("assumed",
         fmt::format(
             "{:.1f}% of sequential, {} {}, may rest on extents that the data decide, taken at "
             "their largest",
             assumed.seconds / bounds.sequential.seconds * 100, assumed.layers,
             assumed.layers == 1 ? "layer" : "layers"));
    line("", "first " + assumed.first + ": state them with benanza-generate --dim TENSOR:AXIS=N");
  }
  for (const Comparison& comparison : report.comparisons) {
    const Profile& profile = *comparison.profile;
    const auto ratio = [&](std::string_view name, const Latency& latency) {
      line(name, fmt::format("{:.3f} sequential, {:.3f} parallel{}", latency.sequential_ratio,
                             latency.parallel_ratio, partial));
    };
    if (const auto& latency = comparison.latency) {
      line(profile.framework,
           fmt::format("{}, {} runs", with_spread(latency->seconds, latency->spread),
                       profile.latency_seconds.size()));
      ratio("BR", *latency);
    } else {
      line(profile.framework, "latency not known: a trace alone does not tell it");
    }
    if (const auto& latency = comparison.graph_latency) {
      line("  CUDA graph",
           fmt::format("{}, {} runs", with_spread(latency->seconds, latency->spread),
                       profile.graph_latency_seconds.size()));
      ratio("  BR", *latency);
    }
    if (comparison.busy) {
      line("  GPU busy", milliseconds(comparison.busy->seconds) + " with the profiler on");
      ratio("  LBL / busy", *comparison.busy);
    }
    const auto& best = comparison.graph_latency ? comparison.graph_latency : comparison.latency;
    if (best && best->sequential_ratio > 1) {
      line("",
           "above 1: faster than the measured calls, by fusing them, or these results are noisy");
    }
    for (const std::string& remark : profile.remarks) line("  note", remark);
    for (const std::string& warning : comparison.warnings) line("  differs in", warning);
  }
  return text;
}

std::string exception_lines(const BoundReport& report) {
  TextTable table({{"not counted"}, {"op"}, {"arithmetic", true}, {"MB", true}, {"why"}});
  bool any = false;
  for (std::size_t index = 0; index < report.times.size(); ++index) {
    const LayerTime& time = report.times[index];
    if (time.standing != Standing::unsupported && time.standing != Standing::missing) continue;
    any = true;
    const Layer& layer = report.graph->layers[index];
    std::vector<std::string> why;
    for (const Gap& gap : time.gaps) why.push_back(gap.key + " " + gap.reason);
    table.add({shortened(layer.name, name_width), layer.op, arithmetic(layer.flops),
               layer.bytes ? fmt::format("{:.3f}", *layer.bytes * 1e-6) : "unknown",
               why.empty() ? time.note : enumerated(why, names_listed)});
  }
  return any ? '\n' + table.text() : "";
}

/// "any/onednn/jit:avx2_core", calls joined by " + ".
std::string variants(const LayerTime& time, Precision asked) {
  std::string text = time.fusion.empty() ? "" : time.fusion + ": ";
  for (const Measurement* call : time.calls) {
    if (call != time.calls.front()) text += " + ";
    const VariantName& variant = call->variant;
    if (variant.precision != asked) text += std::string(to_string(variant.precision)) + '/';
    text +=
        std::string(to_string(variant.layout)) + '/' + variant.backend + '/' + variant.algorithm;
  }
  return text;
}

std::string layer_lines(const BoundReport& report, std::size_t most) {
  const std::vector<LayerRow> rows = layer_rows(report);
  std::vector<std::size_t> timed;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (!report.times[index].calls.empty()) timed.push_back(index);
  }
  const std::size_t shown = std::min(most, timed.size());
  // All of them: in the model's order. A few: the slowest.
  if (shown < timed.size()) {
    std::stable_sort(timed.begin(), timed.end(), [&](std::size_t a, std::size_t b) {
      return *rows[a].seconds > *rows[b].seconds;
    });
  }
  if (shown == 0) return "";
  TextTable table({{"layer"},
                   {"op"},
                   {"us", true},
                   {"share", true},
                   {"GFLOP/s", true},
                   {"critical"},
                   {"layout/backend/algorithm"}});
  double total = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t index = timed[i];
    const LayerRow& row = rows[index];
    const Layer& layer = report.graph->layers[index];
    total += row.share.value_or(0);
    table.add({shortened(layer.name, name_width), layer.op, microseconds(*row.seconds),
               row.share ? fmt::format("{:.1f}%", *row.share * 100) : "-",
               row.flops_per_second ? fmt::format("{:.1f}", *row.flops_per_second * 1e-9) : "-",
               row.on_critical_path ? "*" : "",
               variants(report.times[index], report.choice.precision)});
  }
  std::string text = '\n' + table.text();
  if (shown < timed.size()) {
    text += fmt::format("  the slowest {} of {} layers, {:.1f}% of the sequential bound\n", shown,
                        timed.size(), total * 100);
  }
  return text;
}

std::string path_lines(const BoundReport& report, std::size_t most) {
  const std::vector<double> counted = counted_seconds(report.times, report.movement);
  std::vector<std::string> on_path;
  std::vector<std::string> off_path;
  const std::vector<LayerRow> rows = layer_rows(report);
  for (const std::size_t layer : report.bounds.path) {
    if (counted[layer] > 0) on_path.push_back(report.graph->layers[layer].name);
  }
  for (std::size_t layer = 0; layer < counted.size(); ++layer) {
    if (counted[layer] > 0 && !rows[layer].on_critical_path) {
      off_path.push_back(report.graph->layers[layer].name);
    }
  }
  if (on_path.empty()) return "";
  std::string text = fmt::format("\n  critical path: {} of {} layers in the bound", on_path.size(),
                                 on_path.size() + off_path.size());
  if (off_path.empty()) return text + ": no two of them can run at the same time\n";
  text += "\n    " + enumerated(on_path, most) + "\n  off it: " + enumerated(off_path, most);
  return text + '\n';
}

std::string comparison_lines(const Comparison& comparison, const BoundReport& report,
                             std::size_t most) {
  const Profile& profile = *comparison.profile;
  std::string text =
      fmt::format("\n  {} {} ({}{}), {}: operators {} in all\n", profile.framework, profile.version,
                  profile.precision,
                  profile.threads ? fmt::format(", {} threads", *profile.threads) : std::string(),
                  profile.device.empty() ? "device not stated" : profile.device,
                  milliseconds(comparison.operator_seconds));
  TextTable table({{"operator"},
                   {"op"},
                   {"us", true},
                   {"LBL us", true},
                   {"lost us", true},
                   {"layers it does"}});
  const auto layers_of = [&](std::size_t node) {
    std::vector<std::string> names;
    for (const std::size_t layer : comparison.mapping.layers_of_node[node]) {
      names.push_back(shortened(report.graph->layers[layer].name, name_width));
    }
    return names.empty() ? "none of the model" : enumerated(names, 3);
  };
  std::vector<std::string> faster;
  std::size_t shown = 0;
  for (const Loss& loss : comparison.losses) {
    const ProfiledNode& node = profile.nodes[loss.node];
    if (loss.lost_seconds < 0) {
      faster.push_back(node.name + ' ' + microseconds(loss.lost_seconds) + " us");
    } else if (++shown <= most) {
      table.add({shortened(node.name, name_width), node.op, microseconds(node.seconds),
                 microseconds(loss.bound_seconds), microseconds(loss.lost_seconds),
                 layers_of(loss.node)});
    }
  }
  if (shown > 0) text += table.text();
  const auto say = [&](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("  {}: {}\n", what, enumerated(names, names_listed));
  };
  std::vector<std::string> extra;
  for (const std::size_t node : comparison.extra_nodes) {
    extra.push_back(fmt::format("{} {} us", profile.nodes[node].name,
                                microseconds(profile.nodes[node].seconds)));
  }
  say("extra, not in the model", extra);
  std::reverse(faster.begin(), faster.end());  // the largest difference first
  say("faster than the calls for their layers", faster);
  std::vector<std::string> unknown;
  for (const std::size_t node : comparison.unknown_nodes) {
    unknown.push_back(profile.nodes[node].name);
  }
  say("their layers have no bound", unknown);
  std::vector<std::string> absent;
  for (const std::size_t layer : comparison.absent_layers) {
    absent.push_back(report.graph->layers[layer].name);
  }
  say(fmt::format("absent, folded into others or gone ({})", absent.size()), absent);
  return text;
}

}  // namespace

std::string bound_table(const BoundReports& reports, std::size_t rows) {
  std::string text = system_lines(reports.systems);
  for (const BoundReport& report : reports.reports) {
    text += '\n' + choice_heading(*report.graph, report.choice, report.movement) + '\n' +
            bound_lines(report) + '\n' + coverage_lines(report) + exception_lines(report) +
            layer_lines(report, rows) + path_lines(report, rows);
    for (const Comparison& comparison : report.comparisons) {
      text += comparison_lines(comparison, report, rows);
    }
  }
  return text;
}

}  // namespace benanza::analysis
