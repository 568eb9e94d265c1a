#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/primitive/heuristics.h"
#include "suites/nvidia/run/context.h"

namespace benanza::cudnn {

/// cuDNN on one GPU, opened on first use: its handle, bound to the context's stream, and caches of
/// its answers. Functions that open the GPU throw NoGpu if there is none.
class Library {
 public:
  /// `cuda` must outlive the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}
  /// A library that only has graph plans: there is no device for anything else.
  Library(nvidia::LazyContext& cuda, Target target, std::unique_ptr<PlanBuilder> builder);

  nvidia::CudaContext& cuda();
  cudnnHandle_t handle();
  GraphPlans& graph_plans();

  /// Throws std::runtime_error, naming both sizes, if the user allows less than `bytes`.
  void check_workspace(std::int64_t bytes) const;

  /// Of one direction of convolutions: cudnnConvolutionFwdAlgoPerf_t, BwdData or BwdFilter.
  template <class Answer>
  HeuristicsCache<Answer>& heuristics() {
    return std::get<HeuristicsCache<Answer>>(heuristics_);
  }

 private:
  nvidia::LazyContext& cuda_;
  bool has_device_ = true;
  LibraryHandle handle_;
  std::optional<GraphPlans> graph_plans_;
  std::tuple<HeuristicsCache<cudnnConvolutionFwdAlgoPerf_t>,
             HeuristicsCache<cudnnConvolutionBwdDataAlgoPerf_t>,
             HeuristicsCache<cudnnConvolutionBwdFilterAlgoPerf_t>>
      heuristics_;
};

}  // namespace benanza::cudnn
