#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/softmax.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// The tensor outer x axis x inner x 1, which cuDNN normalizes along its second axis. Every axis of
/// a dense row-major tensor can be mapped to it without moving data.
Dims softmax_dims(const Softmax& shape);

/// "<algorithm>.<mode>". accurate subtracts the maximum first, fast does not; a logarithm has one
/// algorithm, log. Mode channel normalizes along the channels of each pixel; instance along
/// everything but the first axis, which is the same function if inner is 1.
struct SoftmaxCall {
  harness::Algorithm name;
  cudnnSoftmaxAlgorithm_t algorithm = CUDNN_SOFTMAX_ACCURATE;
  cudnnSoftmaxMode_t mode = CUDNN_SOFTMAX_MODE_CHANNEL;
};
std::vector<SoftmaxCall> softmax_calls(const Softmax& shape);

}  // namespace benanza::cudnn
