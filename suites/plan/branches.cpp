#include "suites/plan/branches.h"

#include <algorithm>
#include <cstdio>

#include "core/statistics/summary.h"

namespace benanza::plan {
namespace {

/// Those that no other of them waits for, from `first` on.
std::vector<std::size_t> last_of(const std::vector<harness::Task>& tasks, std::size_t first) {
  std::vector<std::size_t> last;
  for (std::size_t task = first; task < tasks.size(); ++task) {
    const bool is_waited_for = std::any_of(
        tasks.begin() + static_cast<std::ptrdiff_t>(task), tasks.end(),
        [&](const harness::Task& later) { return std::ranges::count(later.after, task) > 0; });
    if (!is_waited_for) last.push_back(task);
  }
  return last;
}

/// The region's tasks alone.
std::vector<harness::Task> tasks_of(const std::vector<harness::Task>& tasks, const Region& region) {
  std::vector<harness::Task> own(tasks.begin() + static_cast<std::ptrdiff_t>(region.first),
                                 tasks.begin() + static_cast<std::ptrdiff_t>(region.end));
  for (harness::Task& task : own) {
    std::erase_if(task.after, [&](std::size_t earlier) { return earlier < region.first; });
    for (std::size_t& earlier : task.after) earlier -= region.first;
  }
  return own;
}

}  // namespace

std::vector<Region> parallel_regions(const std::vector<harness::Task>& tasks) {
  std::vector<std::vector<std::size_t>> after;
  for (const harness::Task& task : tasks) after.push_back(task.after);
  return benanza::parallel_regions(after);
}

std::vector<harness::Task> tasks_with(const std::vector<harness::Task>& tasks,
                                      const std::vector<Region>& regions) {
  std::vector<harness::Task> made;
  // What the next task waits for.
  std::vector<std::size_t> open;
  const auto add_in_order = [&](std::size_t first, std::size_t end) {
    harness::Task joined{.after = open};
    for (std::size_t task = first; task < end; ++task) {
      const auto& calls = tasks[task].calls;
      joined.calls.insert(joined.calls.end(), calls.begin(), calls.end());
    }
    if (joined.calls.empty()) return;
    open = {made.size()};
    made.push_back(std::move(joined));
  };
  std::size_t next = 0;
  for (const Region& region : regions) {
    add_in_order(next, region.first);
    const std::size_t first = made.size();
    for (harness::Task& task : tasks_of(tasks, region)) {
      for (std::size_t& earlier : task.after) earlier += first;
      if (task.after.empty()) task.after = open;
      made.push_back(std::move(task));
    }
    open = last_of(made, first);
    next = region.end;
  }
  add_in_order(next, tasks.size());
  return made;
}

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
