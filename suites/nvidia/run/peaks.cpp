#include "suites/nvidia/run/peaks.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace benanza::nvidia {
namespace {

std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace

double least_seconds(const Peaks& peaks, const Work& work, Precision precision,
                     double arithmetic_saving) {
  double seconds = 0;
  if (const auto peak = peaks.flops_per_second.find(precision);
      peak != peaks.flops_per_second.end()) {
    seconds = work.flops / (peak->second * arithmetic_saving * peak_slack);
  }
  if (peaks.bytes_per_second > 0 && work.bytes() > peaks.l2_bytes) {
    const auto moved = static_cast<double>(work.bytes() - peaks.l2_bytes);
    seconds = std::max(seconds, moved / (peaks.bytes_per_second * peak_slack));
  }
  return seconds;
}

std::vector<std::pair<std::string, std::string>> context_entries(const Peaks& peaks) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [precision, flops] : peaks.flops_per_second) {
    entries.emplace_back("peak_" + std::string(to_string(precision)) + "_flops_per_second",
                         scientific(flops));
  }
  if (peaks.bytes_per_second > 0) {
    entries.emplace_back("peak_bytes_per_second", scientific(peaks.bytes_per_second));
  }
  return entries;
}

}  // namespace benanza::nvidia
