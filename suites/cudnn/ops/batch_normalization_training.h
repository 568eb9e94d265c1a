#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/batch_normalization_training.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

struct BatchNormalizationWay {
  const char* name = "";
  cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL;
  /// Uses cudnnBatchNormalizationForwardTrainingEx and cudnnBatchNormalizationBackwardEx.
  bool extended = false;
};
/// Returns "spatial", "spatial_persistent" (may be faster, for a smaller range of values) and, for
/// nhwc, "spatial_persistent_ex": the calls with a workspace, which have their own kernels there.
/// Throws Unsupported at int8.
std::vector<BatchNormalizationWay> batch_normalization_training_ways(Precision precision,
                                                                     Layout layout);

/// The library's batch normalization in training and its gradient as graphs, with vectors in fp32.
/// Both throw Unsupported at int8.
std::vector<GraphCall> batch_normalization_training_graphs(const BatchNormalizationTraining& shape,
                                                           const harness::Variant& variant);
std::vector<GraphCall> batch_normalization_gradient_graphs(const BatchNormalizationGradient& shape,
                                                           const harness::Variant& variant);

}  // namespace benanza::cudnn
