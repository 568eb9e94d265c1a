#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda/cupti.h"
#include "harness/primitive.h"

namespace benanza {

/// One run of a kernel.
struct KernelTime {
  std::string name;
  double seconds = 0;
  bool operator==(const KernelTime&) const = default;
};

/// Runs `work`, waits for the device, and returns its kernels in the order in which they began. The
/// kernels run as they would without CUPTI. Throws ProfilerUnavailable, or what `work` throws.
std::vector<KernelTime> record_kernels(const Cupti& cupti, const std::function<void()>& work);

/// The kernels of one call, each with its median time, from the records of `calls` equal calls.
/// Empty if the calls were not equal.
std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls);

/// "kernel_names": comma-joined in order; "kernel_seconds": the sum of their times.
Facts kernel_facts(const std::vector<KernelTime>& kernels);

}  // namespace benanza
