#include "suites/cudnn/primitive/op_tensor.h"

#include "suites/cudnn/constants.h"
#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {

void op_tensor(cudnnHandle_t handle, const OpTensorDescriptor& op, const OpTensorOperand& a,
               const OpTensorOperand& b, const TensorDescriptor& result_tensor, std::byte* result) {
  BENANZA_CUDNN(cudnnOpTensor, handle, op.get(), &a.factor, a.tensor.get(), a.data, &b.factor,
                b.tensor.get(), b.data, &zero, result_tensor.get(), result);
}

}  // namespace benanza::cudnn
