#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace benanza::nvidia {

/// The contents of a captured graph.
struct GraphKernels {
  std::int64_t kernels = 0;
  /// Memory copies and memory sets.
  std::int64_t memory_operations = 0;
  /// Mangled names of the kernels, without duplicates, in order of first appearance. Empty unless
  /// the driver returns all of them.
  std::vector<std::string> names;
};

/// Throws on CUDA errors.
GraphKernels graph_kernels(cudaGraph_t graph);

}  // namespace benanza::nvidia
