#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/stored_types.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// So many experts with so many rows each.
struct ExpertShare {
  std::int64_t experts = 0;
  std::int64_t rows = 0;
  bool operator==(const ExpertShare&) const = default;
};

/// How many rows each expert gets if `tokens` tokens choose `chosen` of `experts` different experts
/// each; most rows first, without the experts that get none. `load` is
///   balanced         as evenly as they go, over as many experts as can be busy
///   power_law:ALPHA  quantiles of the bounded power law x^-ALPHA, as AIConfigurator draws them:
///                    from 1 to 0.8 tokens, or from 0.01 to 2 if there are no more choices than
///                    experts
///   N,N,...          in proportion to these numbers, one for each expert
/// An expert gets at most all tokens. Throws Error, with what is expected, for anything else, and
/// NotExpressible for more than 4,096 experts at work, or of a load that is not balanced.
std::vector<ExpertShare> expert_shares(std::string_view load, std::int64_t tokens,
                                       std::int64_t chosen, std::int64_t experts);

/// How many experts have rows, and how many rows they have.
std::int64_t busy_experts(const std::vector<ExpertShare>& shares);
std::int64_t rows_of_experts(const std::vector<ExpertShare>& shares);

/// Throws Error if `load` is none of these.
void require_expert_load(std::string_view load);

/// Before the model's nodes are read: gives its mixtures of experts `load`, as an attribute.
void state_expert_load(::onnx::ModelProto& model, const std::string& load);
inline constexpr std::string_view expert_load_attribute = "benanza.expert_load";

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
