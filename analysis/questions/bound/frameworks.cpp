// A framework's run beside the bound: its latency, and where it loses time.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t operators_named = 6;
/// Below it, the profiled runs say little about the runs without the profiler.
constexpr double least_factor = 0.8;

std::string latency_text(const ModelLatency& latency) {
  std::string text = milliseconds(latency.seconds);
  if (latency.spread) {
    const std::string range =
        fmt::format("{:.3f} to {:.3f}", latency.spread->low * 1e3, latency.spread->high * 1e3);
    const std::size_t processes =
        latency.has_two_modes() ? latency.groups->low.size() : latency.process_seconds.size();
    text += latency.is_within_one_process()
                ? fmt::format("  (95% within one process: {})", range)
                : fmt::format("  ({} between {} processes)", range, processes);
  }
  return text + fmt::format(", {} runs", latency.runs);
}

std::string ratio_text(double sequential, double parallel) {
  return fmt::format("{:.3f} sequential, {:.3f} parallel", sequential, parallel);
}

void add_latency(Section& section, const BoundReport& report, const std::string& name,
                 const std::string& indent, const Latency& latency) {
  const std::string mark = report.is_partial() ? "  PARTIAL" : "";
  if (latency.measured) {
    section.add(Entry{name, latency_text(*latency.measured)});
    for (const std::string& sentence : process_sentences(*latency.measured)) {
      section.add(Entry{"", sentence});
    }
  }
  if (report.filter.cold) {
    section.add(
        Entry{indent + "cold calls", fmt::format("their sum is {:.3f} of it{}: no Benanza ratio",
                                                 latency.sequential_ratio, mark)});
    return;
  }
  section.add(Entry{indent + (latency.slower ? "BR, faster mode" : "BR"),
                    ratio_text(latency.sequential_ratio, latency.parallel_ratio) + mark});
  if (latency.slower) {
    section.add(Entry{indent + "BR, slower mode",
                      ratio_text(latency.slower->sequential, latency.slower->parallel) + mark});
  }
}

void add_names(Section& section, const std::string& title, std::vector<std::string> names) {
  if (names.empty()) return;
  section.add(Names{.title = title, .names = std::move(names), .most = operators_named});
}

/// "operators 2.484 ms in all with the profiler on; times below are scaled by 0.444, ...".
std::string operators_text(const Comparison& comparison) {
  const Losses& losses = comparison.losses;
  std::string text = "operators " + milliseconds(losses.operator_seconds) + " in all";
  if (losses.profiled_seconds < losses.operator_seconds) {
    text += fmt::format(" within {}, several at a time", milliseconds(losses.profiled_seconds));
  }
  if (!comparison.latency) return text;
  const double latency = comparison.latency->seconds;
  if (losses.factor == 1) {
    return text + fmt::format(
                      " with the profiler on, {} less than the latency: time between them, "
                      "or these runs were faster",
                      milliseconds(latency - losses.profiled_seconds));
  }
  text += fmt::format(
      " with the profiler on; their times below are scaled by {:.3f}, to the "
      "latency of {} without it",
      losses.factor, milliseconds(latency));
  if (losses.factor < least_factor) {
    text += fmt::format(
        "; the profiled runs took {:.2f} times as long, so the shares of the "
        "operators are uncertain",
        1 / losses.factor);
  }
  return text;
}

Sheet losses_sheet(const BoundReport& report, const Comparison& comparison) {
  const bool is_cold = report.filter.cold;
  const auto node_of = [&](const Loss& loss) -> const ProfiledNode& {
    return comparison.profile->nodes[loss.node];
  };
  std::vector<Loss> lost;
  std::ranges::copy_if(comparison.losses.list, std::back_inserter(lost), [](const Loss& loss) {
    return !(loss.lost_seconds < 0) && !loss.within_noise;
  });
  const Table<Loss> table{
      {"operator", "", [&](const Loss& loss) { return node_of(loss).name; }, name_width},
      {"op", "", [&](const Loss& loss) { return node_of(loss).op; }},
      {"us", "", micro, &Loss::seconds},
      {is_cold ? "calls us" : "bound us", "", micro, &Loss::bound_seconds},
      {"lost us", "", micro, &Loss::lost_seconds},
      {"layers it does", "",
       [&](const Loss& loss) -> std::string {
         std::vector<std::string> layers =
             names_of(*report.graph, comparison.mapping.layers_of_node[loss.node]);
         for (std::string& name : layers) name = shortened(name, name_width);
         return layers.empty() ? "none of the model" : enumerated(layers, 3);
       },
       any_width}};
  return table.sheet(
      lost, {.caption = is_cold ? "operators that take longer than the cold calls of their layers"
                                : "operators that take longer than the bound of their layers"});
}

/// Counts the rows that losses_sheet() leaves out because they may be none.
void add_noise(Section& section, const Losses& losses) {
  std::size_t count = 0;
  double seconds = 0;
  for (const Loss& loss : losses.list) {
    if (!loss.within_noise) continue;
    ++count;
    seconds += loss.lost_seconds;
  }
  if (count == 0) return;
  section.add(
      fmt::format("left out, within the noise: {} {} whose time and bound overlap, {:+.1f} "
                  "us in all",
                  count, count == 1 ? "operator" : "operators", seconds * 1e6));
}

/// null of a sum of cold calls, which is no bound.
ordered_json ratio_json(double sequential, double parallel, bool cold) {
  if (cold) return nullptr;
  return {{"sequential", sequential}, {"parallel", parallel}};
}

ordered_json ratio_json(const std::optional<Latency>& latency, bool cold) {
  if (!latency) return nullptr;
  return ratio_json(latency->sequential_ratio, latency->parallel_ratio, cold);
}

ordered_json modes_json(const Latency& latency, bool cold) {
  if (!latency.slower) return nullptr;
  const TwoGroups& groups = *latency.measured->groups;
  const auto mode = [&](const std::vector<double>& seconds, double sequential, double parallel) {
    return ordered_json{{"seconds", median(seconds)},
                        {"processes", seconds.size()},
                        {"benanza_ratio", ratio_json(sequential, parallel, cold)}};
  };
  return {mode(groups.low, latency.sequential_ratio, latency.parallel_ratio),
          mode(groups.high, latency.slower->sequential, latency.slower->parallel)};
}

std::optional<Interval> spread_of(const std::optional<Latency>& latency) {
  return latency && latency->measured ? latency->measured->spread : std::nullopt;
}

ordered_json processes_json(const std::optional<Latency>& latency) {
  if (!latency || !latency->measured) return nullptr;
  return latency->measured->process_seconds;
}

ordered_json latency_json(const std::optional<Latency>& latency, bool cold) {
  if (!latency) return nullptr;
  return {{"seconds", latency->seconds},
          {"spread_seconds", spread_json(spread_of(latency))},
          {"process_seconds", processes_json(latency)},
          {"modes", modes_json(*latency, cold)},
          {"benanza_ratio", ratio_json(latency, cold)}};
}

ordered_json losses_json(const BoundReport& report, const Comparison& comparison) {
  ordered_json list = ordered_json::array();
  for (const Loss& loss : comparison.losses.list) {
    const ProfiledNode& node = comparison.profile->nodes[loss.node];
    list.push_back(
        {{"operator", node.name},
         {"op", node.op},
         {"layers", names_of(*report.graph, comparison.mapping.layers_of_node[loss.node])},
         {"profiled_seconds", node.seconds},
         {"seconds", loss.seconds},
         {"bound_seconds", loss.bound_seconds},
         {"lost_seconds", loss.lost_seconds},
         {"within_noise", loss.within_noise}});
  }
  return list;
}

ordered_json threads_json(const Profile& profile) {
  using Row = ThreadComparison;
  const Table<Row> table{{"", "threads", &Row::threads},
                         {"", "instead_of", &Row::instead_of},
                         {"", "seconds", milli, &Row::seconds},
                         {"", "more_help_in_faster_mode", &Row::helps_faster},
                         {"", "more_help_in_slower_mode", &Row::helps_slower}};
  return table.json(thread_comparisons(profile));
}

ordered_json comparison_json(const BoundReport& report, const Comparison& comparison) {
  const Profile& profile = *comparison.profile;
  const bool cold = report.filter.cold;
  const std::optional<Latency>& latency = comparison.latency;
  const auto operators = [&](const std::vector<std::size_t>& nodes) {
    ordered_json list = ordered_json::array();
    for (const std::size_t node : nodes) {
      const double seconds = profile.nodes[node].seconds;
      list.push_back({{"operator", profile.nodes[node].name},
                      {"profiled_seconds", seconds},
                      {"seconds", seconds * comparison.losses.factor}});
    }
    return list;
  };
  return {{"framework", profile.framework},
          {"version", profile.named_version()},
          {"precision", profile.precision},
          {"threads", profile.threads},
          {"device", profile.device},
          {"runs", profile.latency_seconds.size()},
          {"latency_seconds", latency ? ordered_json(latency->seconds) : nullptr},
          {"latency_spread_seconds", spread_json(spread_of(latency))},
          {"within_one_process",
           latency ? ordered_json(latency->measured->is_within_one_process()) : nullptr},
          {"process_seconds", processes_json(latency)},
          {"modes", latency ? modes_json(*latency, cold) : nullptr},
          {"fewer_threads", threads_json(profile)},
          {"benanza_ratio", ratio_json(latency, cold)},
          {"cuda_graph", latency_json(comparison.graph_latency, cold)},
          {"gpu_busy", latency_json(comparison.busy, cold)},
          {"remarks", profile.remarks},
          {"operator_seconds", comparison.losses.operator_seconds},
          {"profiler_factor", comparison.losses.factor},
          {"losses", losses_json(report, comparison)},
          {"bound_unknown", operators(comparison.losses.unknown)},
          {"extra", operators(comparison.extra_nodes)},
          {"absent", names_of(*report.graph, comparison.absent_layers)},
          {"warnings", comparison.warnings}};
}

void add_latency(Section& section, const BoundReport& report, const Comparison& comparison) {
  const Profile& profile = *comparison.profile;
  if (const auto& latency = comparison.latency) {
    add_latency(section, report, profile.framework, "", *latency);
    add_sequence_ratios(section, report, latency->seconds);
  } else {
    section.add(Entry{profile.framework, "latency not known: a trace alone does not tell it"});
  }
  for (const std::string& sentence : thread_sentences(profile)) {
    section.add(Entry{"  threads", sentence});
  }
  if (const auto& latency = comparison.graph_latency) {
    add_latency(section, report, "  CUDA graph", "  ", *latency);
  }
  if (comparison.busy) {
    section.add(
        Entry{"  GPU busy", milliseconds(comparison.busy->seconds) + " with the profiler on"});
    if (!report.filter.cold) {
      section.add(Entry{"  LBL / busy", ratio_text(comparison.busy->sequential_ratio,
                                                   comparison.busy->parallel_ratio) +
                                            (report.is_partial() ? "  PARTIAL" : "")});
    }
  }
  const auto& best = comparison.graph_latency ? comparison.graph_latency : comparison.latency;
  if (!report.filter.cold && best && best->sequential_ratio > 1) {
    section.add(Entry{
        "", "above 1: faster than the measured calls, by fusing them, or these results are noisy"});
  }
  for (const std::string& remark : profile.remarks) section.add(Entry{"  note", remark});
  for (const std::string& warning : comparison.warnings) {
    section.add(Entry{"  differs in", warning});
  }
}

void add_losses(Section& section, const BoundReport& report, const Comparison& comparison) {
  const Profile& profile = *comparison.profile;
  const Losses& losses = comparison.losses;
  section.add(fmt::format(
      "{} {} ({}{}), {}: {}", profile.framework, profile.named_version(), profile.precision,
      profile.threads ? fmt::format(", {} threads", *profile.threads) : std::string(),
      profile.device.empty() ? "device not stated" : profile.device, operators_text(comparison)));
  section.add(losses_sheet(report, comparison));
  add_noise(section, losses);
  const auto with_time = [&](std::size_t node, double seconds) {
    return profile.nodes[node].name + ' ' + microseconds(seconds) + " us";
  };
  std::vector<std::string> extra;
  for (const std::size_t node : comparison.extra_nodes) {
    extra.push_back(with_time(node, profile.nodes[node].seconds * losses.factor));
  }
  add_names(section, "extra, not in the model", std::move(extra));
  std::vector<std::string> faster;
  for (const Loss& loss : losses.list) {
    if (loss.lost_seconds < 0 && !loss.within_noise) {
      faster.push_back(with_time(loss.node, loss.lost_seconds));
    }
  }
  std::ranges::reverse(faster);  // largest difference first
  add_names(section, "faster than the calls for their layers", std::move(faster));
  std::vector<std::string> unknown;
  for (const std::size_t node : losses.unknown) unknown.push_back(profile.nodes[node].name);
  add_names(section, "their layers have no bound", std::move(unknown));
  std::vector<std::string> absent = names_of(*report.graph, comparison.absent_layers);
  const std::string title =
      fmt::format("layers without an operator of their own, folded or gone ({})", absent.size());
  add_names(section, title, std::move(absent));
}

}  // namespace

void add_latencies(Section& section, const BoundReport& report) {
  for (const Comparison& comparison : report.comparisons) {
    add_latency(section, report, comparison);
  }
}

void add_losses(Section& section, const BoundReport& report) {
  ordered_json& facts = section.facts["profiles"] = ordered_json::array();
  for (const Comparison& comparison : report.comparisons) {
    facts.push_back(comparison_json(report, comparison));
    add_losses(section, report, comparison);
  }
}

}  // namespace benanza::analysis
