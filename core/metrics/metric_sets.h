#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// Metrics of a kind of question, each "NAME = EXPRESSION" over the counters that CUPTI has of
/// NVIDIA's GPUs. "memory": DRAM and the second cache. "compute": instructions and how full the
/// device is. "tensor": Tensor Cores (one matrix instruction of a kind is not the work of another).
/// Throws Error for another name.
std::vector<std::string> gpu_metric_set(std::string_view name);

}  // namespace benanza
