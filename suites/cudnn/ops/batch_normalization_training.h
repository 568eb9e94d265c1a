#pragma once

#include <cudnn.h>

#include <string_view>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// "spatial", "spatial_persistent" (may be faster, for a smaller range of values) and, where
/// channels lie innermost, "spatial_persistent_ex": the calls with a workspace, which have kernels
/// of their own there. Throws Unsupported at int8.
std::vector<harness::Algorithm> batch_normalization_training_algorithms(Precision precision,
                                                                        Layout layout);

struct BatchNormalizationWay {
  cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL;
  /// cudnnBatchNormalizationForwardTrainingEx, cudnnBatchNormalizationBackwardEx.
  bool extended = false;
  bool operator==(const BatchNormalizationWay&) const = default;
};
/// Throws std::invalid_argument naming `algorithm`.
BatchNormalizationWay parse_batch_normalization_training(std::string_view algorithm);

}  // namespace benanza::cudnn
