#include "record/problems/steps.h"

#include <algorithm>
#include <functional>
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
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  constexpr std::size_t most = 256;
  if (ranked.size() > most) ranked.resize(most);
  std::vector<std::size_t> lengths;
  for (const auto& [count, length] : ranked) lengths.push_back(length);
  return lengths;
}

/// So many repetitions in a row.
struct Row {
  std::size_t begin = 0;
  std::size_t times = 0;
};

/// The longest part in which every call equals the one `length` before it.
Row longest(const std::vector<std::uint32_t>& calls, std::size_t length) {
  Row best;
  std::size_t begin = 0;
  for (std::size_t at = length; at <= calls.size(); ++at) {
    if (at < calls.size() && calls[at] == calls[at - length]) continue;
    const std::size_t times = (at - begin) / length;
    if (times > best.times) best = {begin, times};
    begin = at - length + 1;
  }
  return best;
}

/// Whether a part is another one several times.
bool repeats_itself(std::span<const std::uint32_t> part) {
  for (std::size_t length = 1; length * 2 <= part.size(); ++length) {
    if (part.size() % length != 0) continue;
    if (std::equal(part.begin() + static_cast<std::ptrdiff_t>(length), part.end(), part.begin())) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Repeated> repeated_step(const std::vector<std::uint32_t>& calls) {
  Row best;
  std::size_t best_length = 0;
  for (const std::size_t length : likely_lengths(calls)) {
    const Row found = longest(calls, length);
    const std::size_t covered = length * found.times;
    if (found.times < 2 || covered * 2 <= calls.size()) continue;
    const std::size_t known = best_length * best.times;
    if (covered > known || (covered == known && length < best_length)) {
      best = found;
      best_length = length;
    }
  }
  if (best.times == 0) return std::nullopt;
  Repeated step{.length = best_length, .begins = {}};
  for (std::size_t time = 0; time < best.times; ++time) {
    step.begins.push_back(best.begin + time * best_length);
  }
  return step;
}

Repeated occurrences(const std::vector<std::uint32_t>& calls, std::span<const std::uint32_t> part) {
  Repeated found{.length = part.size(), .begins = {}};
  const std::boyer_moore_searcher searcher(part.begin(), part.end());
  for (auto from = calls.begin();;) {
    const auto [begin, end] = searcher(from, calls.end());
    if (begin == calls.end()) return found;
    found.begins.push_back(static_cast<std::size_t>(begin - calls.begin()));
    from = end;
  }
}

std::optional<Repeated> scattered_step(const std::vector<std::uint32_t>& calls) {
  std::vector<Repeated> candidates;
  std::size_t most = calls.size() / 2;
  for (const std::size_t length : likely_lengths(calls)) {
    const Row row = longest(calls, length);
    if (row.times < 2) continue;
    const std::span part = std::span(calls).subspan(row.begin, length);
    if (repeats_itself(part)) continue;
    candidates.push_back(occurrences(calls, part));
    most = std::max(most, length * candidates.back().times());
  }
  std::optional<Repeated> best;
  for (Repeated& candidate : candidates) {
    const std::size_t covered = candidate.length * candidate.times();
    if (covered * 2 <= calls.size() || covered * 10 < most * 9) continue;
    if (!best || candidate.length > best->length) best = std::move(candidate);
  }
  return best;
}

std::vector<std::uint32_t> without(const std::vector<std::uint32_t>& calls, const Repeated& step) {
  std::vector<std::uint32_t> rest;
  std::size_t at = 0;
  for (const std::size_t begin : step.begins) {
    rest.insert(rest.end(), calls.begin() + static_cast<std::ptrdiff_t>(at),
                calls.begin() + static_cast<std::ptrdiff_t>(begin));
    at = begin + step.length;
  }
  rest.insert(rest.end(), calls.begin() + static_cast<std::ptrdiff_t>(at), calls.end());
  return rest;
}

}  // namespace benanza::record
