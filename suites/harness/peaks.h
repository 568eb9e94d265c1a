#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "core/results_file/origin.h"

namespace benanza::harness {

/// The most a device has been seen to do, in so many FLOP or bytes a second.
struct Rates {
  /// By large matrix products. A precision that is not there is not known.
  std::map<Precision, double> flops{};
  /// By the best of large copies, fills and reads, read and written bytes together. 0: not known.
  double bytes = 0;

  bool operator==(const Rates&) const = default;
};

struct Peaks {
  /// On random values, as rows are measured: what a report holds times against.
  Rates reported{};
  /// On the most favourable values: zeros cost least power, so that clocks are as high as they get.
  /// What no time may beat.
  Rates possible{};
  /// What the caches hold together.
  std::int64_t cache_bytes = 0;

  bool operator==(const Peaks&) const = default;
};

/// How far above a measured peak a true measurement may be: no product and no copy is perfect.
constexpr double peak_slack = 1.15;

/// The time below which a measurement of `work` is an error, in seconds. The larger of
///   flops / (possible.flops * arithmetic_saving * peak_slack), and
///   (bytes - cache_bytes) / (possible.bytes * peak_slack): what fits the caches may stay there
///   from call to call.
/// `arithmetic_saving`: how many times fewer operations the algorithm needs than Work counts
/// (Winograd, FFT); infinity where nobody knows. 0 where no peak is known.
double least_seconds(const Peaks& peaks, const Work& work, Precision precision,
                     double arithmetic_saving = 1);

/// {"peak_fp16_flops_per_second", "6.6e+14"}, ..., {"peak_bytes_per_second", ...}: what is
/// reported, and the same with "possible" for "peak"; for the context of the results.
std::vector<std::pair<std::string, std::string>> context_entries(const Peaks& peaks);

/// The inverse. `values`: what a results file says.
Peaks peaks_of(const PeakValues& values, std::int64_t cache_bytes);

/// Those of a results file for a machine of `system`, as far as both agree in `identity`, fields of
/// a system. Throws Error naming the file if they are of another machine, or are not there.
Peaks peaks_in(const Origin& file, const System& system, const std::vector<std::string>& identity,
               std::int64_t cache_bytes);
/// The same of the file at `path`.
Peaks read_peaks(const std::string& path, const System& system,
                 const std::vector<std::string>& identity, std::int64_t cache_bytes);

}  // namespace benanza::harness
