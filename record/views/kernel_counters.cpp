#include "record/views/kernel_counters.h"

#include <algorithm>
#include <map>

#include "core/metrics/expression.h"

namespace benanza {
namespace {

constexpr const char* time_counter = "gpu__time_duration.sum";  // In nanoseconds.

/// Sums over the launches of one kernel.
struct Sums {
  std::int64_t launches = 0;
  std::int64_t last_process = 0;
  std::int64_t last_launch = 0;
  std::map<std::string, double, std::less<>> counters{};

  std::optional<double> mean(std::string_view counter) const {
    const auto found = counters.find(counter);
    if (found == counters.end()) return std::nullopt;
    return found->second / static_cast<double>(launches);
  }
};

}  // namespace

CountedKernels counted_kernels(const DeviceRecording& recording) {
  std::map<std::uint32_t, Sums> kernels;
  for (const DeviceRecording::KernelCounter& one : recording.kernel_counters) {
    Sums& sums = kernels[one.kernel];
    // The counters of a launch follow each other; launches count from 1.
    if (sums.last_launch != one.launch || sums.last_process != one.process) ++sums.launches;
    sums.last_launch = one.launch;
    sums.last_process = one.process;
    sums.counters[recording.names[one.counter]] += one.value;
  }
  CountedKernels result;
  std::vector<Expression> expressions;
  for (const DeviceRecording::KernelMetric& metric : recording.kernel_metrics) {
    result.columns.push_back(metric.name);
    result.expressions.push_back(metric.expression);
    expressions.emplace_back(metric.expression);
  }
  for (const auto& [name, sums] : kernels) {
    CountedKernel& kernel = result.kernels.emplace_back();
    kernel.name = recording.names[name];
    kernel.launches = sums.launches;
    if (const auto mean = sums.mean(time_counter)) {
      kernel.seconds = *mean * static_cast<double>(sums.launches) * 1e-9;
    }
    for (const Expression& expression : expressions) {
      kernel.values.push_back(
          expression.value([&](std::string_view counter) { return sums.mean(counter); }));
    }
  }
  std::ranges::stable_sort(result.kernels, [](const CountedKernel& a, const CountedKernel& b) {
    return a.seconds.value_or(0) > b.seconds.value_or(0);
  });
  return result;
}

}  // namespace benanza
