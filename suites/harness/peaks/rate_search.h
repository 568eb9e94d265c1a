#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "suites/harness/backend.h"
#include "suites/harness/peaks/peaks.h"

namespace benanza::harness {

/// What the operands of a call hold while its rate is measured.
enum class Values { zeros, random };

/// The highest rate on random values, and on any values; 0 if unknown.
struct BestRate {
  double reported = 0;
  double possible = 0;

  void take(Values values, double rate);
  void take(const BestRate& other);
};

/// How the ways of a library are searched for the highest rate.
struct WaySearch {
  /// Whether a way counts.
  std::function<bool(const Traits&)> counts = [](const Traits&) { return true; };
  /// Whether the search ends before the next way.
  std::function<bool()> is_over = [] { return false; };
  /// Times a way's call.
  std::function<BestRate(Primitive&)> rate;
};

/// So many ways of a library are tried, its first choices.
inline constexpr std::size_t ways_tried = 3;

/// The best of the library's first ways for the variant (which has no algorithm) among those that
/// count. Throws what the library and the search throw.
BestRate best_of_ways(Backend& library, const Variant& prototype, const WaySearch& search);

/// Runs `search`, and lets it end early if something is unsupported, does not fit in memory, or
/// fails: the same call then fails in its own row, which gives the reason. Throws EngineLost.
void search_as_far_as_possible(const std::function<void()>& search);

/// Peaks of the best rates: in FLOP per second at every precision, then in bytes per second. Those
/// that are 0 are left out.
Peaks peaks_by_search(const std::function<BestRate(Precision)>& flops,
                      const std::function<BestRate()>& bytes, std::int64_t cache_bytes);

}  // namespace benanza::harness
