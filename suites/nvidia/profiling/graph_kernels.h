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
  /// Names of the kernels as the compiler wrote them, each once, in the order of first appearance.
  /// Where the driver cannot tell all of them: empty.
  std::vector<std::string> names;
};

/// Throws on CUDA errors.
GraphKernels graph_kernels(cudaGraph_t graph);

}  // namespace benanza::nvidia
