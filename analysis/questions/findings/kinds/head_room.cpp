// Without a framework: the problem whose calls are farthest from their floor.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Of the calls that were measured: on this device no call takes less, however little it does.
double shortest_call_seconds(const MeasurementSet& measurements) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const std::string_view key : measurements.keys()) {
    for (const Measurement& call : measurements.find(key)) {
      if (call.status == Status::ok) shortest = std::min(shortest, call.seconds());
    }
  }
  return shortest;
}

/// Layers of one problem.
struct Roomy {
  std::vector<std::size_t> layers{};
  double seconds = 0;
  /// What the calls must take: their multiplications at the device's peak, their bytes, and the
  /// shortest call. An algorithm that multiplies less may be below it; whether there is one is not
  /// known.
  double needed_seconds = 0;
  double gives_back() const { return seconds - needed_seconds; }
};

std::map<std::string, Roomy> roomy_problems(const Matter& matter) {
  const BoundReport& bound = matter.bound();
  const double shortest = shortest_call_seconds(matter.subject().measurements());
  std::map<std::string, Roomy> problems;
  for (std::size_t layer = 0; layer < bound.times.size(); ++layer) {
    const LayerTime& time = bound.times[layer];
    const auto least = bound.ladder.layer_floor(layer);
    // Of several calls, not all bytes that they need are known.
    if (time.calls.size() != 1 || !least || *least <= 0) continue;
    if (!is_counted(time, bound.movement)) continue;
    Roomy& one = problems[time.calls.front()->variant.key];
    one.layers.push_back(layer);
    one.seconds += *time.seconds;
    const double needed =
        std::max({*least, bound.ladder.peak_seconds(layer).value_or(0), shortest});
    // The floor may be above what was measured of another precision.
    one.needed_seconds += std::min(*time.seconds, needed);
  }
  return problems;
}

std::vector<Finding> head_room(const Matter& matter) {
  if (matter.run() != nullptr) return {};
  const auto problems = roomy_problems(matter);
  const auto worst = std::ranges::max_element(
      problems, {}, [](const auto& problem) { return problem.second.gives_back(); });
  if (worst == problems.end() || worst->second.gives_back() <= 0) return {};
  const auto& [key, most] = *worst;
  const double bound = matter.bound().bounds.sequential.seconds;
  const Measurement& call = *matter.bound().times[most.layers.front()].calls.front();
  return {
      {.cause = "far from the floor",
       .what = fmt::format("{} {} ({:.0f}% of the bound), {:.1f} times the minimum for its "
                           "arithmetic, its bytes and one call on this device.",
                           most.layers.size() == 1
                               ? "One layer takes"
                               : fmt::format("{} layers of one problem take", most.layers.size()),
                           milliseconds(most.seconds), most.seconds / bound * 100,
                           most.seconds / most.needed_seconds),
       .layers = most.layers,
       .gain_seconds = most.gives_back(),
       .certainty = Certainty::at_most,
       .leads_to_seconds = bound - most.gives_back(),
       .remedy = {"Look here first for a faster call: another algorithm, library or version.",
                  fmt::format("bench_{} --problem={} --precision={} --algorithms=all",
                              call.variant.backend, key, to_string(call.variant.precision))}}};
}

}  // namespace

FindingKind head_room_kind() { return {head_room}; }

}  // namespace benanza::analysis
