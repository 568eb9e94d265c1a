#include "record/problems/steps.h"

#include <algorithm>
#include <unordered_map>

namespace benanza::record {
namespace {

/// Distances at which the same few calls recur, the most frequent first. The length of a step is
/// among them, because each repetition has the same calls in the same places.
std::vector<std::size_t> likely_lengths(const std::vector<std::uint32_t>& calls) {
  std::unordered_map<std::size_t, std::size_t> counts;
  for (const std::size_t window : {1, 4, 16, 64, 256}) {
    if (calls.size() < 2 * window) break;
    // A rolling polynomial hash of the window's calls.
    constexpr std::uint64_t base = 0x9E3779B97F4A7C15;
    std::uint64_t highest = 1;
    for (std::size_t i = 1; i < window; ++i) highest *= base;
    std::uint64_t hash = 0;
    std::unordered_map<std::uint64_t, std::size_t> last;
    for (std::size_t at = 0; at < calls.size(); ++at) {
      if (at >= window) hash -= (calls[at - window] + 1) * highest;
      hash = hash * base + calls[at] + 1;
      if (at + 1 < window) continue;
      const auto [place, is_new] = last.try_emplace(hash, at);
      if (!is_new) ++counts[at - place->second];
      place->second = at;
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> ranked;
  for (const auto& [length, count] : counts) ranked.emplace_back(count, length);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  constexpr std::size_t most = 256;
  if (ranked.size() > most) ranked.resize(most);
  std::vector<std::size_t> lengths;
  for (const auto& [count, length] : ranked) lengths.push_back(length);
  return lengths;
}

/// The longest part in which every call equals the one `length` before it.
Repeated longest(const std::vector<std::uint32_t>& calls, std::size_t length) {
  Repeated best{.begin = 0, .length = length, .times = 0};
  std::size_t begin = 0;
  for (std::size_t at = length; at <= calls.size(); ++at) {
    if (at < calls.size() && calls[at] == calls[at - length]) continue;
    const std::size_t times = (at - begin) / length;
    if (times > best.times) best = {begin, length, times};
    begin = at - length + 1;
  }
  return best;
}

}  // namespace

std::optional<Repeated> repeated_step(const std::vector<std::uint32_t>& calls) {
  std::optional<Repeated> best;
  for (const std::size_t length : likely_lengths(calls)) {
    const Repeated found = longest(calls, length);
    const std::size_t covered = found.length * found.times;
    if (found.times < 2 || covered * 2 <= calls.size()) continue;
    const std::size_t known = best ? best->length * best->times : 0;
    if (covered > known || (covered == known && length < best->length)) best = found;
  }
  return best;
}

}  // namespace benanza::record
