#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "core/results_file/origin.h"
#include "suites/harness/backend.h"

namespace benanza::harness {

/// The highest measured rates of a device, in FLOP and bytes per second.
struct Rates {
  /// Measured with large matrix products. Unknown precisions are absent.
  std::map<Precision, double> flops{};
  /// The best of large copies, fills and reads, counting read and written bytes. 0 if unknown.
  double bytes = 0;

  bool operator==(const Rates&) const = default;
};

struct Peaks {
  /// On random values, like the rows. Reports compare times with these.
  Rates reported{};
  /// On the most favourable values: zeros draw the least power, so the clocks are highest. No
  /// correct time can beat these.
  Rates possible{};
  /// Total capacity of the caches.
  std::int64_t cache_bytes = 0;

  bool operator==(const Peaks&) const = default;
};

/// How far a correct measurement may exceed a measured peak, since neither the matrix products nor
/// the copies are perfect.
constexpr double peak_slack = 1.15;

/// Returns the time in seconds below which a measurement of `work` must be wrong: the larger of
///   flops / (possible.flops * arithmetic_saving * peak_slack), and
///   (bytes - cache_bytes) / (possible.bytes * peak_slack), since data that fits in the caches may
///   stay there between calls.
/// `arithmetic_saving`: how many times fewer operations the algorithm needs than Work counts
/// (Winograd, FFT); infinity if unknown. Returns 0 if no peak is known.
double least_seconds(const Peaks& peaks, const Work& work, Precision precision,
                     double arithmetic_saving = 1);

/// {"peak_fp16_flops_per_second", "6.6e+14"}, ..., {"peak_bytes_per_second", ...} for the reported
/// rates, and the same with the prefix "possible_" for the possible ones; for the context of the
/// results.
std::vector<std::pair<std::string, std::string>> context_entries(const Peaks& peaks);

/// The inverse of context_entries(). `values`: the peaks in a results file.
Peaks peaks_of(const PeakValues& values, std::int64_t cache_bytes);

/// Returns the peaks in a results file. Throws Error naming the file if it differs from `system` in
/// one of the system fields listed in `identity`, or if it contains no peaks.
Peaks peaks_in(const Origin& file, const System& system, const std::vector<std::string>& identity,
               std::int64_t cache_bytes);
/// Same as peaks_in(), for the file at `path`.
Peaks read_peaks(const std::string& path, const System& system,
                 const std::vector<std::string>& identity, std::int64_t cache_bytes);

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
