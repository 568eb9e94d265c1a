#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Operators of the first opsets that were never part of the standard; converters still write some.
namespace benanza::onnx {
namespace {

/// input * scale + bias[channel].
Lowered lower_image_scaler(const NodeView& node) {
  const Dims& input = node.shape(0);
  if (input.size() < 2) throw NotExpressible("an input without channels");
  const float scale = node.real("scale", 1);
  const std::vector<float> bias = node.reals("bias").value_or(std::vector<float>{});
  if (!bias.empty() && static_cast<std::int64_t>(bias.size()) != input[1]) {
    throw Error("a bias of " + std::to_string(bias.size()) + " values for " +
                std::to_string(input[1]) + " channels");
  }
  std::vector<Call> calls;
  Source result = from_input(0);
  if (scale != 1) {
    calls.push_back(function_call(input, ActivationKind::linear, result, scale));
    result = from_call(0);
  }
  if (std::ranges::any_of(bias, [](float value) { return value != 0; })) {
    Dims channels(input.size(), 1);
    channels[1] = input[1];
    calls.push_back(elementwise_call(BinaryKind::add, {input, false, result},
                                     {channels, true, from_numbers(bias)}));
  }
  if (calls.empty()) return free_layer("neither scales nor shifts");
  return measured(std::move(calls));
}

}  // namespace

void register_experimental(OperatorTable& table) {
  table.add("ImageScaler", {.shapes = {{like_first}}, .lower = lower_image_scaler});
  for (const auto* op : {"Affine", "ParametricSoftplus", "Scale", "ScaledTanh"}) {
    table.add(op, {.shapes = {{like_first}}});
  }
}

}  // namespace benanza::onnx
