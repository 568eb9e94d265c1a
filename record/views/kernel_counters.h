#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// The counters of all launches of one kernel.
struct CountedKernel {
  std::string name{};
  std::int64_t launches = 0;
  /// Of one launch, in the order of CountedKernels::columns. A metric is computed from means over
  /// the launches, so that the ratio of two sums is that of their totals; empty if it is not known.
  std::vector<std::optional<double>> values{};
  /// In all launches; the GPU's clock while counting. Empty if it was not counted.
  std::optional<double> seconds{};
};

struct CountedKernels {
  /// Names of the metrics and the counters asked for.
  std::vector<std::string> columns{};
  /// As the recording has them: equal to the name for a counter.
  std::vector<std::string> expressions{};
  /// Those that take the most time first.
  std::vector<CountedKernel> kernels{};
};

/// What was counted, by kernel. Throws Error for an expression that cannot be read.
CountedKernels counted_kernels(const DeviceRecording& recording);

}  // namespace benanza
