#include "suites/cudnn/primitive/cudnn_primitive.h"

#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/least_work.h"

namespace benanza::cudnn {

CudnnPrimitive::CudnnPrimitive(Library& library, const harness::Variant& variant,
                               std::vector<nvidia::TensorFormat> inputs,
                               nvidia::TensorFormat output, std::int64_t workspace_bytes)
    : nvidia::CudaPrimitive(library.cuda(), std::move(inputs), std::move(output), workspace_bytes),
      library_(library),
      scale_(variant.precision == Precision::int8 ? harness::int8_scale(variant.problem) : 1.0F) {
  const LeastWork least = least_work(variant);
  guard(least.work, variant.precision, least.arithmetic_saving);
}

CudnnPrimitive::CudnnPrimitive(Library& library, const harness::Variant& variant,
                               std::vector<nvidia::TensorFormat> inputs,
                               std::int64_t workspace_bytes)
    : CudnnPrimitive(library, variant, std::move(inputs), dense_output(variant), workspace_bytes) {}

void op_tensor(cudnnHandle_t handle, const OpTensorDescriptor& op, const OpTensorOperand& a,
               const OpTensorOperand& b, const TensorDescriptor& result_tensor, std::byte* result) {
  BENANZA_CUDNN(cudnnOpTensor, handle, op.get(), &a.factor, a.tensor.get(), a.data, &b.factor,
                b.tensor.get(), b.data, &zero, result_tensor.get(), result);
}

std::vector<nvidia::TensorFormat> dense_inputs(const harness::Variant& variant) {
  std::vector<nvidia::TensorFormat> formats;
  for (const Operand& operand : inputs(variant.problem)) {
    formats.push_back(dense(variant.precision, operand.dims, variant.layout));
  }
  return formats;
}

nvidia::TensorFormat dense_output(const harness::Variant& variant) {
  return dense(variant.precision, output(variant.problem), variant.layout);
}

}  // namespace benanza::cudnn
