#include "suites/cudnn/ops/activation/activation.h"

#include <array>
#include <cmath>
#include <string>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/solvers.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

std::vector<OpTensorStep> clip_steps(float low, float high) {
  std::vector<OpTensorStep> steps;
  if (std::isfinite(low) || !std::isfinite(high)) {
    steps.push_back({.op = CUDNN_OP_TENSOR_MAX, .other_factor = low});
  }
  if (std::isfinite(high)) steps.push_back({.op = CUDNN_OP_TENSOR_MIN, .other_factor = high});
  return steps;
}

class ActivationPrimitive final : public CudnnPrimitive {
 public:
  ActivationPrimitive(Library& library, const harness::Variant& variant, const ActivationCall& call)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense_output(variant))),
        activation_(make_activation(call.mode, call.coefficient)) {}

  void run() override {
    const float factor = scale();
    BENANZA_CUDNN(cudnnActivationForward, handle(), activation_.get(), &factor, tensor_.get(),
                  input(0), &zero, tensor_.get(), output());
  }

 private:
  TensorDescriptor tensor_;
  ActivationDescriptor activation_;
};

class OpTensorPrimitive final : public CudnnPrimitive {
 public:
  OpTensorPrimitive(Library& library, const harness::Variant& variant,
                    const std::vector<OpTensorStep>& steps)
      : CudnnPrimitive(library, variant, dense_inputs(variant)),
        tensor_(make_tensor(dense_output(variant))),
        one_format_(scalar(variant)),
        one_tensor_(make_tensor(one_format_)),
        one_memory_(nvidia::span_bytes(one_format_)) {
    one_memory_.write(nvidia::to_storage(std::array{1.0F}, one_format_), stream());
    for (const OpTensorStep& step : scaled(steps, scale())) {
      ops_.push_back({step, make_op_tensor(step.op)});
    }
  }

  void run() override {
    const std::byte* source = input(0);
    for (const auto& [step, op] : ops_) {
      const OpTensorOperand x{tensor_, source, step.factor};
      if (step.other_is_input) {
        op_tensor(handle(), op, x, {tensor_, input(0), step.other_factor}, tensor_, output());
      } else {
        op_tensor(handle(), op, x, {one_tensor_, one_memory_.data(), step.other_factor}, tensor_,
                  output());
      }
      source = output();
    }
  }

 private:
  static nvidia::TensorFormat scalar(const harness::Variant& variant) {
    return dense(variant.precision, Dims(dense_output(variant).dims.size(), 1), Layout::plain);
  }

  struct Op {
    OpTensorStep step;
    OpTensorDescriptor descriptor;
  };
  TensorDescriptor tensor_;
  nvidia::TensorFormat one_format_;
  TensorDescriptor one_tensor_;
  nvidia::DeviceMemory one_memory_;
  std::vector<Op> ops_;
};

std::unique_ptr<harness::Primitive> create(Library& library, const Activation& shape,
                                           const harness::Variant& variant) {
  const auto calls = map_activation(shape);
  if (const auto* call = std::get_if<ActivationCall>(&calls)) {
    return std::make_unique<ActivationPrimitive>(library, variant, *call);
  }
  return std::make_unique<OpTensorPrimitive>(library, variant,
                                             std::get<std::vector<OpTensorStep>>(calls));
}

}  // namespace

std::variant<ActivationCall, std::vector<OpTensorStep>> map_activation(const Activation& shape) {
  using Steps = std::vector<OpTensorStep>;
  switch (shape.kind) {
    case ActivationKind::relu:
      return ActivationCall{CUDNN_ACTIVATION_RELU, 0};
    case ActivationKind::elu:
      return ActivationCall{CUDNN_ACTIVATION_ELU, shape.alpha};
    case ActivationKind::sigmoid:
      return ActivationCall{CUDNN_ACTIVATION_SIGMOID, 0};
    case ActivationKind::tanh:
      return ActivationCall{CUDNN_ACTIVATION_TANH, 0};
    case ActivationKind::clip:
      if (shape.alpha == 0 && std::isfinite(shape.beta)) {
        return ActivationCall{CUDNN_ACTIVATION_CLIPPED_RELU, shape.beta};
      }
      return clip_steps(shape.alpha, shape.beta);
    case ActivationKind::leaky_relu:
      if (shape.alpha < 0)
        throw harness::Unsupported("cuDNN has no leaky relu with a negative slope");
      return Steps{{.op = shape.alpha <= 1 ? CUDNN_OP_TENSOR_MAX : CUDNN_OP_TENSOR_MIN,
                    .other_factor = shape.alpha,
                    .other_is_input = true}};
    case ActivationKind::linear:
      return Steps{{.op = CUDNN_OP_TENSOR_ADD, .factor = shape.alpha, .other_factor = shape.beta}};
    case ActivationKind::swish:
      return ActivationCall{CUDNN_ACTIVATION_SWISH, shape.alpha};
    case ActivationKind::abs:
      return Steps{{.op = CUDNN_OP_TENSOR_MAX, .other_factor = -1, .other_is_input = true}};
    case ActivationKind::sqrt:
      return Steps{{.op = CUDNN_OP_TENSOR_SQRT}};
    case ActivationKind::pow:
      if (shape.alpha != 2) break;
      return Steps{{.op = CUDNN_OP_TENSOR_MUL, .other_is_input = true}};
    case ActivationKind::hard_swish:
      return Steps{{.op = CUDNN_OP_TENSOR_ADD, .factor = 1.0F / 6, .other_factor = 0.5F},
                   {.op = CUDNN_OP_TENSOR_MAX, .other_factor = 0},
                   {.op = CUDNN_OP_TENSOR_MIN},
                   {.op = CUDNN_OP_TENSOR_MUL, .other_is_input = true}};
    default:
      break;
  }
  throw harness::Unsupported("cuDNN's call-per-layer functions have no " + std::string(shape.op()));
}

std::vector<OpTensorStep> scaled(std::vector<OpTensorStep> steps, float factor) {
  // The first step scales x; every sum, maximum and minimum scales its other operand; a product is
  // scaled by one factor only.
  if (!steps.empty()) steps.front().factor *= factor;
  for (OpTensorStep& step : steps) {
    if (step.op != CUDNN_OP_TENSOR_MUL) step.other_factor *= factor;
  }
  return steps;
}

void register_activation(SolverTable& table) {
  const auto layouts = [](const Activation& shape) { return image_layouts(shape.input); };
  table.add<Activation>(
      {.layouts = layouts,
       .algorithms = [](Library&, const Activation& shape, const harness::Variant&,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         return {std::holds_alternative<ActivationCall>(map_activation(shape)) ? "activation"
                                                                               : "op_tensor"};
       },
       .create = create,
       .owns = is_call});
  table.add(region_solver<Activation>(layouts, activation_graphs));
}

}  // namespace benanza::cudnn
