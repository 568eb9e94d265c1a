// As fast or faster with fewer threads.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/findings/remedies.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> cpu_threads(const Matter& matter) {
  if (matter.run() == nullptr) return {};
  const std::vector<ThreadComparison> compared = thread_comparisons(matter.profile());
  const auto best = std::ranges::min_element(compared, {}, &ThreadComparison::seconds);
  const Baseline whole = matter.whole();
  if (best == compared.end() || best->helps_faster || best->seconds >= whole.seconds) return {};
  Remedy remedy = remedy_for_threads(matter, best->threads);
  return {
      {.cause = "too many threads",
       .what = fmt::format("With {} {} {} takes {}, with {} {}.", best->instead_of,
                           best->instead_of == 1 ? "thread" : "threads", matter.framework(),
                           milliseconds(whole.seconds), best->threads, milliseconds(best->seconds)),
       .gain_seconds = whole.seconds - best->seconds,
       .certainty = Certainty::timed,
       .leads_to_seconds = best->seconds,
       .action = std::move(remedy.action),
       .command = std::move(remedy.command)}};
}

}  // namespace

FindingKind cpu_threads_kind() { return {cpu_threads}; }

}  // namespace benanza::analysis
