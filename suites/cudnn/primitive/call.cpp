#include "suites/cudnn/primitive/call.h"

#include <cmath>
#include <limits>

#include "core/problem/least_work.h"
#include "suites/cudnn/api/status.h"
#include "suites/harness/int8_scale.h"

namespace benanza::cudnn {

LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits,
                     bool of_engine) {
  LeastWork least{.work = work(problem, precision)};
  least.work.flops = direct_flops(problem);
  least.work.bytes_read = std::llround(least_read_bytes(problem, precision));
  // Gradient engines that multiply transforms do not always report it: cuDNN 9.14's engine17 took
  // 94 us on an H200 for filters of 32x512x7x7_k512x3x3, whose products take 118 us at peak.
  const bool may_transform = std::holds_alternative<ConvolutionFilterGradient>(problem.shape) ||
                             std::holds_alternative<Deconvolution>(problem.shape);
  if (may_transform && of_engine) least.work.flops = least_flops(problem);
  if (traits.transforms) {
    least.arithmetic_saving = std::numeric_limits<double>::infinity();
  }
  return least;
}

float inverse_deviation(float variance, float epsilon) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + static_cast<double>(epsilon)));
}

float variance_of(float inverse_deviation, float epsilon) {
  const double inverse = inverse_deviation;
  return static_cast<float>(1 / (inverse * inverse) - static_cast<double>(epsilon));
}

nvidia::StoredOtherwise InverseDeviation::to_library_value() const {
  return {index,
          [epsilon = epsilon](float variance) { return inverse_deviation(variance, epsilon); }};
}

nvidia::StoredOtherwise InverseDeviation::to_problem_value() const {
  return {index, [epsilon = epsilon](float stored) { return variance_of(stored, epsilon); }};
}

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
