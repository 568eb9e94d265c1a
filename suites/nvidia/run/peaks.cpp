#include "suites/nvidia/run/peaks.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza {
namespace {

constexpr std::int64_t largest_copy = std::int64_t{1} << 30;
constexpr int samples = 3;
constexpr std::int64_t calls = 2;

class DeviceCopy : public CudaPrimitive {
 public:
  DeviceCopy(CudaContext& context, std::int64_t bytes)
      : CudaPrimitive(context, {tensor_format(Precision::int8, {bytes}, Layout::plain)},
                      tensor_format(Precision::int8, {bytes}, Layout::plain), 0),
        bytes_(bytes) {}

  void run() override {
    check(cudaMemcpyAsync(output(), input(0), static_cast<std::size_t>(bytes_),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

 private:
  std::int64_t bytes_;
};

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

double measure_bandwidth(CudaContext& context) {
  const std::int64_t bytes = std::min(largest_copy, free_device_bytes() / 4);
  DeviceCopy copy(context, bytes);
  copy.clear_inputs();
  double best = 0;
  for (int sample = 0; sample < samples; ++sample) {
    const double seconds = context.stopwatch().time(copy, calls);
    best = std::max(best, 2.0 * static_cast<double>(bytes * calls) / seconds);
  }
  return best;
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

}  // namespace benanza
