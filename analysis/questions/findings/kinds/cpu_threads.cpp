// As fast or faster with fewer threads.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// From the processes that lie closest together to those that lie farthest apart; empty for fewer
/// than three of either.
std::optional<Interval> gain_interval(const Profile& profile, const ThreadComparison& best) {
  const auto latency = model_latency(profile);
  const auto& all = latency->process_seconds;
  if (all.size() < 3 || best.processes < 3) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(all);
  return Interval{least - best.range.high, most - best.range.low};
}

std::vector<Finding> cpu_threads(const Matter& matter) {
  if (matter.run() == nullptr) return {};
  const std::vector<ThreadComparison> compared = thread_comparisons(matter.profile());
  const auto best = std::ranges::min_element(compared, {}, &ThreadComparison::seconds);
  const Baseline whole = matter.whole();
  if (best == compared.end() || best->helps_faster || best->seconds >= whole.seconds) return {};
  return {
      {.cause = "too many threads",
       .what = fmt::format("With {} {} {} takes {}, with {} {}.", best->instead_of,
                           best->instead_of == 1 ? "thread" : "threads", matter.framework(),
                           milliseconds(whole.seconds), best->threads, milliseconds(best->seconds)),
       .gain_seconds = whole.seconds - best->seconds,
       .interval = gain_interval(matter.profile(), *best),
       .certainty = Certainty::timed,
       .leads_to_seconds = best->seconds,
       .remedy = remedy_for_threads(matter, best->threads)}};
}

}  // namespace

FindingKind cpu_threads_kind() { return {cpu_threads}; }

}  // namespace benanza::analysis
