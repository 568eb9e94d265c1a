#include "suites/cudnn/primitive/call.h"

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/least_work.h"

namespace benanza::cudnn {

CudnnPrimitive::CudnnPrimitive(const Request& request, nvidia::CallSetup setup, Interface interface)
    : nvidia::CudaPrimitive(request.library.cuda(), request.operands, std::move(setup)),
      library_(request.library),
      scale_(request.variant.precision == Precision::int8
                 ? harness::int8_scale(request.variant.problem)
                 : 1.0F) {
  const auto& [problem, precision, layout, algorithm, strides] = request.variant;
  const LeastWork least =
      least_work(problem, precision, request.traits, interface == Interface::graphs);
  guard(least.work, precision, least.arithmetic_saving);
}

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

nvidia::CallSetup dense_setup(const harness::Variant& variant) {
  return {.inputs = dense_inputs(variant), .results = {dense_output(variant)}};
}

nvidia::CallSetup setup_with_fp32_vectors(const harness::Variant& variant) {
  nvidia::CallSetup setup = dense_setup(variant);
  for (std::size_t i = 1; i < setup.inputs.size(); ++i) {
    setup.inputs[i].precision = Precision::fp32;
  }
  return setup;
}

void refuse_int8_gradients(const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("cuDNN has no int8 gradients");
  }
}

}  // namespace benanza::cudnn
