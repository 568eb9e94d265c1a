#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace benanza {

/// What a captured graph will run.
struct GraphKernels {
  /// Kernel, memory copy and memory set nodes.
  std::int64_t nodes = 0;
  /// Names of the kernels as the compiler wrote them, in the order of first appearance, each once.
  /// Empty where the driver cannot tell.
  std::vector<std::string> names;
};

/// Throws on CUDA errors; a driver that does not know a kernel's name leaves it out.
GraphKernels graph_kernels(cudaGraph_t graph);

}  // namespace benanza
