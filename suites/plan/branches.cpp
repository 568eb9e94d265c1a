#include "suites/plan/branches.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "core/statistics/summary.h"
#include "suites/plan/regions.h"

namespace benanza::plan {
namespace {

/// Tasks one after the other.
class InOrder final : public harness::BareCall {
 public:
  explicit InOrder(std::vector<harness::Task> tasks) : tasks_(std::move(tasks)) {}

  void run() override {
    for (const harness::Task& task : tasks_) {
      for (harness::Primitive* const call : task.calls) call->run();
    }
  }

 private:
  std::vector<harness::Task> tasks_;
};

/// Medians of a few runs.
struct RegionTimes {
  double in_order = 0;
  double gained = 0;
};

/// Both in turn, since clocks change.
RegionTimes times_of(harness::Primitive& in_order, harness::Primitive& at_once,
                     harness::Stopwatch& stopwatch) {
  constexpr int rounds = 7;
  constexpr std::size_t samples = 5;
  std::vector<double> ordered;
  std::vector<double> gained;
  for (int round = 0; round < rounds; ++round) {
    ordered.push_back(median(stopwatch.time_samples(in_order, 1, samples)));
    gained.push_back(ordered.back() - median(stopwatch.time_samples(at_once, 1, samples)));
  }
  stopwatch.forget(in_order);
  stopwatch.forget(at_once);
  return {median(ordered), median(gained)};
}

}  // namespace

std::string Branches::text() const {
  char line[200];
  std::snprintf(line, sizeof line,
                "%zu groups of steps that need not all wait for each other take %.3f ms in order; "
                "%zu gain %.3f ms in parallel\n",
                regions, in_order_seconds * 1e3, faster_regions, gained_seconds * 1e3);
  return line;
}

Branches branches_of(const PlannedModel& model, harness::Stopwatch& stopwatch) {
  // Of a region's time; less is noise.
  constexpr double least_gain = 0.02;
  const std::vector<harness::Task> tasks = model.tasks();
  std::vector<Region> faster;
  Branches found;
  for (const Region& region : parallel_regions(tasks)) {
    InOrder in_order(tasks_of(tasks, region));
    const auto at_once = model.at_once(tasks_of(tasks, region));
    const RegionTimes times = times_of(in_order, *at_once, stopwatch);
    ++found.regions;
    found.in_order_seconds += times.in_order;
    if (times.gained < least_gain * times.in_order) continue;
    found.gained_seconds += times.gained;
    faster.push_back(region);
  }
  found.faster_regions = faster.size();
  if (found.regions > 0) found.plan = model.at_once(tasks_with(tasks, faster));
  return found;
}

}  // namespace benanza::plan
