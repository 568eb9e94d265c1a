#include "record/store/search.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace benanza {
namespace {

bool same_problem(const CallText& a, const CallText& b) {
  return std::tie(a.source, a.kind, a.problem, a.memory) ==
         std::tie(b.source, b.kind, b.problem, b.memory);
}

}  // namespace

std::vector<bool> search_calls(const std::vector<const CallText*>& calls) {
  constexpr std::size_t least_implementations = 3;
  std::vector<bool> found(calls.size());
  for (std::size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
    std::set<std::string_view> implementations;
    for (end = begin; end < calls.size() && same_problem(*calls[begin], *calls[end]); ++end) {
      if (!calls[end]->implementation.empty()) implementations.insert(calls[end]->implementation);
    }
    if (calls[begin]->engine != "gpu" || calls[begin]->problem.empty()) continue;
    if (implementations.size() < least_implementations) continue;
    std::fill(found.begin() + static_cast<std::ptrdiff_t>(begin),
              found.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return found;
}

}  // namespace benanza
