#include "suites/cudnn/ops/activation.h"

#include <array>
#include <cmath>
#include <string>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/elementwise_graph.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

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

std::unique_ptr<harness::Primitive> make_activation_call(const Request& request,
                                                         const ActivationCall& one) {
  return call_of(
      request, dense_setup(request.variant),
      [tensor = make_tensor(dense_output(request.variant)),
       activation = make_activation(one.mode, one.coefficient)](const CudnnPrimitive& call) {
        const float factor = call.scale();
        BENANZA_CUDNN(cudnnActivationForward, call.handle(), activation.get(), &factor,
                      tensor.get(), call.input(0), &zero, tensor.get(), call.output());
      });
}

/// The steps, one after the other, in the result's memory.
class OpTensorSteps {
 public:
  OpTensorSteps(const harness::Variant& variant, const std::vector<OpTensorStep>& steps)
      : steps_(steps),
        tensor_(make_tensor(dense_output(variant))),
        one_format_(scalar(variant)),
        one_tensor_(make_tensor(one_format_)),
        one_memory_(nvidia::span_bytes(one_format_)) {}

  void placed(const CudnnPrimitive& call) {
    one_memory_.write(nvidia::to_storage(std::array{1.0F}, one_format_), call.stream());
    for (const OpTensorStep& step : scaled(steps_, call.scale())) {
      ops_.push_back({step, make_op_tensor(step.op)});
    }
  }

  void operator()(const CudnnPrimitive& call) const {
    const std::byte* source = call.input(0);
    for (const auto& [step, op] : ops_) {
      const OpTensorOperand x{tensor_, source, step.factor};
      if (step.other_is_input) {
        op_tensor(call.handle(), op, x, {tensor_, call.input(0), step.other_factor}, tensor_,
                  call.output());
      } else {
        op_tensor(call.handle(), op, x, {one_tensor_, one_memory_.data(), step.other_factor},
                  tensor_, call.output());
      }
      source = call.output();
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
  std::vector<OpTensorStep> steps_;
  TensorDescriptor tensor_;
  nvidia::TensorFormat one_format_;
  TensorDescriptor one_tensor_;
  nvidia::DeviceMemory one_memory_;
  std::vector<Op> ops_;
};

Ways activation_ways(Library& library, const Activation& shape, const harness::Variant& prototype) {
  const auto calls = map_activation(shape);
  if (const auto* one = std::get_if<ActivationCall>(&calls)) {
    return {nvidia::way_of(library, prototype, "activation", [one = *one](const Request& request) {
      return make_activation_call(request, one);
    })};
  }
  const auto& steps = std::get<std::vector<OpTensorStep>>(calls);
  return {nvidia::way_of(library, prototype, "op_tensor",
                         [steps](const Request& request) {
                           return call_of(request, dense_setup(request.variant),
                                          OpTensorSteps(request.variant, steps));
                         },
                         {.calls = steps.size()})};
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

void register_activation(WayTable& table) {
  const auto layouts = [](const Activation& shape) { return image_layouts(shape.input); };
  table.add(functions<Activation>(layouts, activation_ways));
  table.add(engines_of<Activation>(layouts, activation_graphs, Steps::in_graph));
}

std::vector<GraphCall> activation_graphs(const Activation&, const harness::Variant& variant) {
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  return found;
}

}  // namespace benanza::cudnn
