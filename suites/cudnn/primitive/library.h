#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/primitive/heuristics.h"
#include "suites/nvidia/run/lazy_context.h"

namespace benanza::cudnn {

/// cuDNN on one GPU, opened on first use: its handle, bound to the context's stream, and caches of
/// its answers. Functions that open the GPU throw NoGpu if there is none.
class Library {
 public:
  /// `cuda` must outlive the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}
  /// A library that only has graph plans.
  Library(nvidia::LazyContext& cuda, Target target, std::unique_ptr<PlanBuilder> builder);

  nvidia::CudaContext& cuda() { return cuda_.get(); }
  cudnnHandle_t handle();
  GraphPlans& graph_plans();

  /// Throws std::runtime_error, naming both sizes, if the user allows less than `bytes`.
  void check_workspace(std::int64_t bytes) const;

  HeuristicsCache<cudnnConvolutionFwdAlgoPerf_t>& convolution_heuristics() {
    return convolution_heuristics_;
  }
  HeuristicsCache<cudnnConvolutionBwdDataAlgoPerf_t>& deconvolution_heuristics() {
    return deconvolution_heuristics_;
  }
  HeuristicsCache<cudnnConvolutionBwdFilterAlgoPerf_t>& filter_gradient_heuristics() {
    return filter_gradient_heuristics_;
  }

 private:
  nvidia::LazyContext& cuda_;
  LibraryHandle handle_;
  std::optional<GraphPlans> graph_plans_;
  HeuristicsCache<cudnnConvolutionFwdAlgoPerf_t> convolution_heuristics_;
  HeuristicsCache<cudnnConvolutionBwdDataAlgoPerf_t> deconvolution_heuristics_;
  HeuristicsCache<cudnnConvolutionBwdFilterAlgoPerf_t> filter_gradient_heuristics_;
};

}  // namespace benanza::cudnn
