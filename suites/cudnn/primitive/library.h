#pragma once

#include <cudnn.h>

#include <map>
#include <string>
#include <vector>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/nvidia/run/context.h"

namespace benanza::cudnn {

/// cuDNN on one GPU: its handle, bound to the context's stream, and what it has already told us.
class Library {
 public:
  /// Throws what check() throws. `cuda` outlives the library.
  explicit Library(CudaContext& cuda);

  CudaContext& cuda() const { return cuda_; }
  cudnnHandle_t handle() const { return handle_.get(); }

  /// Throws std::runtime_error, naming both sizes, if the user allows less than `bytes`.
  void check_workspace(std::int64_t bytes) const;

  /// Answers of the convolution heuristics by key, precision and layout: asking takes longer than
  /// most layers run, and every algorithm of a layer wants the same answer.
  std::map<std::string, std::vector<cudnnConvolutionFwdAlgoPerf_t>>& convolution_heuristics() {
    return convolution_heuristics_;
  }
  /// The same for transposed convolutions.
  std::map<std::string, std::vector<cudnnConvolutionBwdDataAlgoPerf_t>>&
  deconvolution_heuristics() {
    return deconvolution_heuristics_;
  }

  GraphPlans& graph_plans() { return graph_plans_; }

 private:
  CudaContext& cuda_;
  LibraryHandle handle_;
  GraphPlans graph_plans_;
  std::map<std::string, std::vector<cudnnConvolutionFwdAlgoPerf_t>> convolution_heuristics_;
  std::map<std::string, std::vector<cudnnConvolutionBwdDataAlgoPerf_t>> deconvolution_heuristics_;
};

}  // namespace benanza::cudnn
