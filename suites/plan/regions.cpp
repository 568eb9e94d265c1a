#include "suites/plan/regions.h"

#include <algorithm>

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

}  // namespace benanza::plan
