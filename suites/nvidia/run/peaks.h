#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/problem/problem.h"

namespace benanza::nvidia {

/// The most a device has been seen to do. Measured on zeros, which cost least power, so that clocks
/// are as high as they get.
struct Peaks {
  /// By large matrix products. A precision that is not there is not known.
  std::map<Precision, double> flops_per_second;
  /// By the best of large copies, fills and reads, read and written bytes together. 0: not known.
  double bytes_per_second = 0;
  std::int64_t l2_bytes = 0;
};

/// How far above a measured peak a true measurement may be: no product and no copy is perfect.
constexpr double peak_slack = 1.15;

/// The time below which a measurement of `work` is an error, in seconds. The larger of
///   flops / (flops_per_second * arithmetic_saving * peak_slack), and
///   (bytes - l2_bytes) / (bytes_per_second * peak_slack): what fits the L2 cache may stay there
///   from call to call.
/// `arithmetic_saving`: how many times fewer operations the algorithm needs than Work counts
/// (Winograd, FFT); infinity where nobody knows. 0 where no peak is known.
double least_seconds(const Peaks& peaks, const Work& work, Precision precision,
                     double arithmetic_saving = 1);

/// {"peak_fp16_flops_per_second", "6.6e+14"}, ...: for the context of the results.
std::vector<std::pair<std::string, std::string>> context_entries(const Peaks& peaks);

}  // namespace benanza::nvidia
