#pragma once

#include <cudnn.h>

#include "suites/cudnn/api/descriptors.h"

namespace benanza::cudnn {

/// One operand of cudnnOpTensor: factor * data.
struct OpTensorOperand {
  const TensorDescriptor& tensor;
  const std::byte* data;
  float factor = 1;
};

/// result = op(a, b), b broadcast to a. `result` may be a's own memory.
void op_tensor(cudnnHandle_t handle, const OpTensorDescriptor& op, const OpTensorOperand& a,
               const OpTensorOperand& b, const TensorDescriptor& result_tensor, std::byte* result);

}  // namespace benanza::cudnn
