// The GPU waits for the host.

#include <fmt/format.h>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<std::size_t> waiting_layers(const Matter& matter) {
  std::vector<std::string> names;
  for (const Deviation& one : matter.inspection()->findings) {
    if (one.difference == Difference::wait) names.push_back(one.layer);
  }
  return matter.layers_named(names);
}

/// The profile has the same run as a CUDA graph.
Finding timed_launch_gaps(const Matter& matter) {
  const Baseline whole = matter.whole();
  const Latency& graph = *matter.run()->graph_latency;
  const auto spread = graph.measured ? graph.measured->spread : std::nullopt;
  return {
      .what = fmt::format("The GPU waits for the host: as a CUDA graph the run takes {}, not {}.",
                          milliseconds(graph.seconds), milliseconds(whole.seconds)),
      .gain_seconds = whole.seconds - graph.seconds,
      .interval = difference_interval(whole.seconds, whole.spread, graph.seconds, spread),
      .certainty = Certainty::timed};
}

/// From the trace: what of the idle time is due to late launches.
Finding estimated_launch_gaps(const Matter& matter) {
  const Baseline whole = matter.whole();
  const Inspection& inspection = *matter.inspection();
  const Timeline& timeline = inspection.timeline;
  const double waited = timeline.host_bound_seconds * inspection.wait_scale;
  Finding finding{
      .what = fmt::format("The GPU waits for the host for {} of {}: it is busy for {} only.",
                          milliseconds(waited), milliseconds(whole.seconds),
                          milliseconds(timeline.busy_seconds)),
      .gain_seconds = waited,
      .certainty = Certainty::estimated,
      .leads_to_seconds = matter.least_seconds()};
  if (whole.spread) {
    finding.interval = Interval{waited - (whole.seconds - whole.spread->low),
                                waited + (whole.spread->high - whole.seconds)};
  }
  return finding;
}

std::vector<Finding> launch_gaps(const Matter& matter) {
  if (matter.inspection() == nullptr) return {};
  Finding finding =
      matter.run()->graph_latency ? timed_launch_gaps(matter) : estimated_launch_gaps(matter);
  finding.cause = "launch gaps";
  finding.layers = waiting_layers(matter);
  finding.remedy = remedy_for_launches(matter);
  return {std::move(finding)};
}

}  // namespace

FindingKind launch_gaps_kind() { return {launch_gaps}; }

}  // namespace benanza::analysis
