#include "suites/nvidia/profiling/graph_kernels.h"

#include <cudaTypedefs.h>

#include <algorithm>
#include <optional>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/driver.h"

namespace benanza::nvidia {
namespace {

/// Looks up names through the driver, because the runtime knows only the kernels of this program,
/// not those of the libraries.
class KernelNames {
 public:
  std::optional<std::string> operator()(cudaGraphNode_t node) const {
    if (params_ == nullptr || function_name_ == nullptr || kernel_name_ == nullptr) {
      return std::nullopt;
    }
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    if (params_(node, &params) != CUDA_SUCCESS) return std::nullopt;
    const char* name = nullptr;
    const CUresult status = params.kern != nullptr ? kernel_name_(&name, params.kern)
                                                   : function_name_(&name, params.func);
    if (status != CUDA_SUCCESS || name == nullptr) return std::nullopt;
    return name;
  }

 private:
  PFN_cuGraphKernelNodeGetParams_v12000 params_ =
      driver_function<PFN_cuGraphKernelNodeGetParams_v12000>("cuGraphKernelNodeGetParams", 12000);
  PFN_cuFuncGetName_v12030 function_name_ =
      driver_function<PFN_cuFuncGetName_v12030>("cuFuncGetName", 12030);
  PFN_cuKernelGetName_v12030 kernel_name_ =
      driver_function<PFN_cuKernelGetName_v12030>("cuKernelGetName", 12030);
};

}  // namespace

GraphKernels graph_kernels(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");

  const KernelNames name_of;
  GraphKernels result;
  bool all_named = true;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) {
      ++result.memory_operations;
    } else if (type == cudaGraphNodeTypeKernel) {
      ++result.kernels;
      const auto name = name_of(node);
      all_named = all_named && name.has_value();
      if (name &&
          std::find(result.names.begin(), result.names.end(), *name) == result.names.end()) {
        result.names.push_back(*name);
      }
    }
  }
  if (!all_named) result.names.clear();
  return result;
}

}  // namespace benanza::nvidia
