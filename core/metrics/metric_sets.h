#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// The metrics of a set, each as "NAME = EXPRESSION" over CUPTI's counters for NVIDIA GPUs.
/// "memory": DRAM and L2 cache. "compute": instructions and occupancy. "tensor": Tensor Cores
/// (matrix instructions of different kinds do different amounts of work). Throws Error for any
/// other name.
std::vector<std::string> gpu_metric_set(std::string_view name);

}  // namespace benanza
