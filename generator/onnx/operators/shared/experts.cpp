#include "generator/onnx/operators/shared/experts.h"

#include <algorithm>
#include <string>

#include "generator/onnx/operators/shared/nbits.h"

namespace benanza::onnx {
namespace {

ExpertInputs expert_inputs(const NodeView& node, std::size_t weights, std::size_t bias,
                           std::size_t zero_points = 0) {
  ExpertInputs inputs{.weights = weights};
  if (node.has_input(bias)) inputs.bias = bias;
  if (zero_points != 0 && node.has_input(zero_points)) inputs.zero_points = zero_points;
  return inputs;
}

}  // namespace

Experts plain_experts(const NodeView& node) {
  return {.first = expert_inputs(node, 2, 3),
          .second = expert_inputs(node, 4, 5),
          .third = expert_inputs(node, 6, 7),
          .of_experts = {2, 3, 4, 5, 6, 7}};
}

Experts quantized_experts(const NodeView& node) {
  Experts experts{.first = expert_inputs(node, 2, 4, 11),
                  .second = expert_inputs(node, 5, 7, 12),
                  .third = expert_inputs(node, 8, 10, 13),
                  .of_experts = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
                  .quantized = true};
  if (node.has_input(14)) experts.factors = 14;
  if (node.has_input(17)) experts.first.data_scale = experts.third.data_scale = 17;
  if (node.has_input(18)) experts.second.data_scale = 18;
  return experts;
}

PackedWeights packed_experts(const NodeView& node, std::string_view attribute, bool zero_points) {
  const std::string type = node.text("quant_type", "int");
  const std::int64_t block = std::max<std::int64_t>(0, node.integer("block_size", 0));
  if (type != "int" && zero_points) throw NotExpressible("zero points of floats");
  if (type == "fp4" || type == "nvfp4") {
    return {.type = PackedType::fp4, .block = type == "fp4" ? 32 : 16};
  }
  if (type == "fp8") {
    return {.type = PackedType::fp8, .block = block};
  }
  if (type != "int") throw NotExpressible("experts stored as \"" + type + '"');
  const std::int64_t bits = node.integer(attribute, node.integer("expert_weight_bits", 4));
  return {.type = nbits_type(bits, zero_points),
          .block = block,
          .per_column = block == 0,
          .zero_points = zero_points};
}

}  // namespace benanza::onnx
