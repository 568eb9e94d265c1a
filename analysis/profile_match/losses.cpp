#include "analysis/profile_match/losses.h"

#include <algorithm>

#include "analysis/model/whole.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {
namespace {

Interval scaled(const Interval& interval, double low, double high) {
  return {interval.low * low, interval.high * high};
}

/// The bound of some layers with its range: that of the repetitions of their calls, if known.
Interval range_of_bound(double seconds, const std::vector<std::size_t>& layers,
                        const std::vector<LayerTime>& times) {
  RepetitionSum sum;
  for (const std::size_t layer : layers) {
    for (const Measurement* call : times[layer].calls) sum.add(call->repetition_seconds);
  }
  const auto estimate = sum.estimate();
  if (!estimate || estimate->value <= 0) return {seconds, seconds};
  const Interval interval = estimate->interval();
  return {seconds * interval.low / estimate->value, seconds * interval.high / estimate->value};
}

/// The factor on the operators' times, and its range: that of the latency.
struct Scale {
  double factor = 1;
  Interval range{1, 1};
};

Scale scale_of(double profiled_seconds, const ModelLatency* latency) {
  if (latency == nullptr || profiled_seconds <= 0) return {};
  const auto factor = [&](double seconds) { return seconds / profiled_seconds; };
  Scale scale{.factor = std::min(1.0, factor(latency->seconds))};
  const Interval spread = latency->spread.value_or(Interval{latency->seconds, latency->seconds});
  // Times that are not scaled vary as the latency does, too.
  const double to_one = scale.factor / factor(latency->seconds);
  scale.range = {factor(spread.low) * to_one, factor(spread.high) * to_one};
  return scale;
}

}  // namespace

Losses losses_of(const Profile& profile, const Mapping& mapping,
                 const std::vector<LayerTime>& times, const ModelLatency* latency) {
  Losses losses;
  for (const ProfiledNode& node : profile.nodes) losses.operator_seconds += node.seconds;
  losses.profiled_seconds =
      std::min(losses.operator_seconds, profile.traced_seconds.value_or(losses.operator_seconds));
  const Scale scale = scale_of(losses.profiled_seconds, latency);
  losses.factor = scale.factor;
  const std::vector<double> counted = shared_seconds(times, Movement::include);
  for (std::size_t index = 0; index < profile.nodes.size(); ++index) {
    const ProfiledNode& node = profile.nodes[index];
    const std::vector<std::size_t>& layers = mapping.layers_of_node[index];
    if (std::ranges::any_of(layers, [&](std::size_t layer) {
          return lacks_time(times[layer], Movement::include);
        })) {
      losses.unknown.push_back(index);
      continue;
    }
    Loss loss{.node = index, .seconds = node.seconds * scale.factor};
    for (const std::size_t layer : layers) loss.bound_seconds += counted[layer];
    loss.lost_seconds = loss.seconds - loss.bound_seconds;
    const Interval ran = scaled(node.range.value_or(Interval{node.seconds, node.seconds}),
                                scale.range.low, scale.range.high);
    const Interval bound = range_of_bound(loss.bound_seconds, layers, times);
    loss.range = {ran.low - bound.high, ran.high - bound.low};
    loss.within_noise = ran.low <= bound.high && bound.low <= ran.high;
    losses.list.push_back(loss);
  }
  std::ranges::stable_sort(losses.list, std::ranges::greater{}, &Loss::lost_seconds);
  return losses;
}

}  // namespace benanza::analysis
