#include "analysis/profiles/kineto/twice.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace benanza::analysis::kineto {

std::size_t drop_told_twice(std::vector<Work>& work, std::vector<WorkLinks>& links) {
  std::vector<Index> order(work.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto identity = [&](Index at) {
    return std::tuple(work[at].start, work[at].end, work[at].name, links[at].correlation,
                      links[at].external, links[at].process_name, links[at].stream);
  };
  const auto starts_before = [&](Index a, Index b) { return work[a].start < work[b].start; };
  // Most traces are in order; sorting takes time.
  if (!std::ranges::is_sorted(order, starts_before)) std::ranges::stable_sort(order, starts_before);
  std::vector<bool> is_again(work.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && work[order[end]].start == work[order[first]].start) ++end;
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, order.begin() + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
      return std::pair(identity(a), a) < std::pair(identity(b), b);
    });
    for (std::size_t at = first + 1; at < end; ++at) {
      // Work of less than the clock's unit may well follow its like within that.
      const bool has_time = work[order[at]].end > work[order[at]].start;
      is_again[order[at]] = has_time && identity(order[at]) == identity(order[at - 1]);
    }
    first = end;
  }
  std::size_t kept = 0;
  for (std::size_t at = 0; at < work.size(); ++at) {
    if (is_again[at]) continue;
    work[kept] = work[at];
    links[kept++] = links[at];
  }
  const std::size_t dropped = work.size() - kept;
  work.resize(kept);
  links.resize(kept);
  return dropped;
}

}  // namespace benanza::analysis::kineto
