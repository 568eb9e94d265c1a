#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/stored_types.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// The inputs of a layer of experts.
struct ExpertInputs {
  std::size_t weights = 0;
  std::optional<std::size_t> bias{};
  std::optional<std::size_t> zero_points{};
  /// Of data that are converted to 8-bit floats before the product.
  std::optional<std::size_t> data_scale{};
};

/// What a node says of its experts.
struct Experts {
  ExpertInputs first{};
  ExpertInputs second{};
  ExpertInputs third{};
  /// Instead of the softmax's results: what the experts' results are multiplied with.
  std::optional<std::size_t> factors{};
  /// Inputs that begin with an axis of the experts.
  std::vector<std::size_t> of_experts{};
  bool quantized = false;
};

/// Of MoE. Inputs: x, the router's, then of each layer weights and bias.
Experts plain_experts(const NodeView& node);
/// Of QMoE. Inputs: x, the router's, then of each layer weights, scales and bias; of each, zero
/// points; factors, two scales of all, and scales of the data.
Experts quantized_experts(const NodeView& node);

/// How QMoE stores weights: with the number of bits of `attribute`, or else that of all layers.
/// Throws NotExpressible.
PackedWeights packed_experts(const NodeView& node, std::string_view attribute, bool zero_points);

}  // namespace benanza::onnx
