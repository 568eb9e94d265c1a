#include "analysis/questions/history/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace benanza::analysis {
namespace {

/// Times of the calls that all stations have, by station; logarithms.
std::vector<std::vector<double>> times_of(const std::vector<Station>& stations,
                                          const MeasurementFilter& filter) {
  std::map<std::string, std::vector<double>> times;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const MeasurementSet& set = stations[i].results.measurements;
    for (const std::string_view key : set.keys()) {
      for (const Measurement& one : set.find(key)) {
        if (one.status != Status::ok || !admits(filter, filter.precision, one)) continue;
        std::vector<double>& of_call = times[to_string(one.variant)];
        if (of_call.size() == i) of_call.push_back(std::log(one.seconds()));
      }
    }
  }
  std::vector<std::vector<double>> complete;
  for (auto& [call, of_call] : times) {
    if (of_call.size() == stations.size()) complete.push_back(std::move(of_call));
  }
  return complete;
}

/// Each machine's median distance to the median machine.
std::vector<double> levels_of(const std::vector<std::vector<double>>& times, std::size_t machines) {
  std::vector<std::vector<double>> distances(machines);
  for (const std::vector<double>& of_call : times) {
    const double centre = median(of_call);
    for (std::size_t i = 0; i < machines; ++i) distances[i].push_back(of_call[i] - centre);
  }
  std::vector<double> levels;
  for (const std::vector<double>& own : distances) levels.push_back(median(own));
  return levels;
}

/// The median of the smallest group of more than half of the levels, if it is no wider than
/// `width`.
std::optional<double> centre_of_majority(const std::vector<double>& levels, double width) {
  const std::vector<double> ordered = sorted(levels);
  const std::size_t group = ordered.size() / 2 + 1;
  if (ordered.size() < 2) return std::nullopt;
  std::size_t best = 0;
  const auto width_of = [&](std::size_t first) {
    return ordered[first + group - 1] - ordered[first];
  };
  for (std::size_t first = 1; first + group <= ordered.size(); ++first) {
    if (width_of(first) < width_of(best)) best = first;
  }
  if (width_of(best) > width) return std::nullopt;
  return median(std::span(ordered).subspan(best, group));
}

}  // namespace

std::string member_text(const FleetMember& member) {
  const double percent = (member.ratio.value_or(1) - 1) * 100;
  switch (member.verdict) {
    case FleetVerdict::unknown:
      return "too few calls in common";
    case FleetVerdict::as_its_peers:
      return "as fast as its peers";
    case FleetVerdict::slower:
    case FleetVerdict::faster:
      return fmt::format("{:.1f}% {} than its peers", std::abs(percent),
                         percent > 0 ? "slower" : "faster");
    case FleetVerdict::undecided:
      return fmt::format("{:.1f}% slower than the fastest; no majority tells which is right",
                         percent);
  }
  return "";
}

std::size_t Fleet::worse() const {
  return static_cast<std::size_t>(std::ranges::count_if(members, &FleetMember::is_worse));
}

Fleet fleet_of(const std::vector<Station>& stations, const MeasurementFilter& filter,
               double tolerance) {
  const std::vector<std::vector<double>> times = times_of(stations, filter);
  Fleet fleet{.precision = filter.precision,
              .members = std::vector<FleetMember>(stations.size(), {.calls = times.size()}),
              .calls = times.size()};
  if (times.size() < least_calls_of_drift) return fleet;
  const std::vector<double> levels = levels_of(times, stations.size());
  const double limit = std::log1p(tolerance);
  const std::optional<double> centre = centre_of_majority(levels, limit);
  fleet.has_majority = centre.has_value();
  const double base = centre.value_or(std::ranges::min(levels));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    FleetMember& member = fleet.members[i];
    const double distance = levels[i] - base;
    member.ratio = std::exp(distance);
    if (!centre) {
      member.verdict = FleetVerdict::undecided;
    } else if (std::abs(distance) <= limit) {
      member.verdict = FleetVerdict::as_its_peers;
    } else {
      member.verdict = distance > 0 ? FleetVerdict::slower : FleetVerdict::faster;
    }
  }
  return fleet;
}

}  // namespace benanza::analysis
