#include "suites/plan/branches.h"

#include <cstdio>
#include <vector>

#include "core/statistics/summary.h"
#include "suites/plan/regions.h"

namespace benanza::plan {
namespace {

/// Times plans against the one in order, in turn, since clocks change.
class Gains {
 public:
  Gains(harness::Primitive& in_order, harness::Stopwatch& stopwatch)
      : in_order_(in_order), stopwatch_(stopwatch), seconds_(seconds_of(in_order)) {}
  ~Gains() { stopwatch_.forget(in_order_); }
  Gains(const Gains&) = delete;
  Gains& operator=(const Gains&) = delete;

  double in_order_seconds() const { return seconds_; }
  /// The median of a few rounds.
  double of(harness::Primitive& plan) {
    constexpr int rounds = 5;
    std::vector<double> gains;
    for (int round = 0; round < rounds; ++round) {
      const double before = seconds_of(in_order_);
      gains.push_back(before - seconds_of(plan));
    }
    stopwatch_.forget(plan);
    return median(gains);
  }

 private:
  double seconds_of(harness::Primitive& plan) {
    constexpr std::size_t samples = 3;
    return median(stopwatch_.time_samples(plan, 1, samples));
  }

  harness::Primitive& in_order_;
  harness::Stopwatch& stopwatch_;
  double seconds_;
};

}  // namespace

std::string Branches::text() const {
  char line[200];
  std::snprintf(line, sizeof line,
                "%zu groups of steps need not all wait for each other; in parallel, %zu of them "
                "gain %.3f of %.3f ms\n",
                regions, faster_regions, gained_seconds * 1e3, in_order_seconds * 1e3);
  return line;
}

Branches branches_of(const PlannedModel& model, harness::Stopwatch& stopwatch) {
  // Of the plan's time; less is noise.
  constexpr double least_gain = 5e-4;
  const std::vector<harness::Task> tasks = model.tasks();
  const std::vector<Region> regions = parallel_regions(tasks);
  Branches found{.regions = regions.size()};
  if (regions.empty()) return found;
  const auto in_order = model.at_once(tasks_with(tasks, {}));
  Gains gains(*in_order, stopwatch);
  found.in_order_seconds = gains.in_order_seconds();
  std::vector<Region> faster;
  for (const Region& region : regions) {
    const double gain = gains.of(*model.at_once(tasks_with(tasks, {region})));
    if (gain < least_gain * found.in_order_seconds) continue;
    found.gained_seconds += gain;
    faster.push_back(region);
  }
  found.faster_regions = faster.size();
  found.plan = model.at_once(tasks_with(tasks, faster));
  return found;
}

}  // namespace benanza::plan
