#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/experts.h"
#include "generator/onnx/operators/shared/operator.h"

/// Mixtures of experts of ONNX Runtime. Which experts work is only known when the model runs: the
/// tokens are spread as expert_shares() says. The choice stands as copies of what it picks.
namespace benanza::onnx {
namespace {

class ExpertCalls {
 public:
  ExpertCalls(const NodeView& node, Experts experts) : node_(node), experts_(std::move(experts)) {
    const Dims& input = node.shape(0);
    const Dims& router = node.shape(1);
    if (input.size() < 2 || router.size() != 2) {
      throw Error("x of " + join(input, 'x') + " and a router of " + join(router, 'x'));
    }
    if (element_count(input) == 0) throw NotExpressible("an operand is empty");
    hidden_ = input.back();
    tokens_ = element_count(input) / hidden_;
    count_ = router[1];
    chosen_ = node.integer("k", 1);
    activation_ = node.text("activation_type", "relu");
    const bool gated = activation_ == "swiglu" || activation_ == "geglu";
    fused_ = gated && node.integer("swiglu_fusion", 0) != 0;
    if (chosen_ < 1 || chosen_ > count_ || router[0] != tokens_) {
      throw Error(std::to_string(chosen_) + " experts of a router of " + join(router, 'x') +
                  " for " + std::to_string(tokens_) + " tokens");
    }
    const auto packed = packed_weights(experts_.second, "fc2_expert_weight_bits");
    inner_ = node.elements(experts_.second.weights) * numbers_in(packed) / count_ / hidden_;
  }

  Lowered lower() && {
    refuse();
    const Source factors = choose();
    const std::int64_t assignments = checked_product(tokens_, chosen_);
    Source rows = data_of(experts_.first, {tokens_, hidden_}, from_input(0));
    if (tokens_ > 1) rows = move(checked_product(assignments, hidden_), rows);
    const std::string load = node_.text(expert_load_attribute, "balanced");
    const std::vector<ExpertShare> shares = expert_shares(load, tokens_, chosen_, count_);
    const std::int64_t busy = busy_experts(shares);
    add_experts(shares, rows);
    Source results = last_result(calls_);
    if (tokens_ > 1) results = move(checked_product(assignments, hidden_), results);
    calls_.push_back(
        product_call({tokens_, 1, chosen_}, factors, {tokens_, chosen_, hidden_}, results, false));
    Lowered lowered = measured(std::move(calls_));
    if (in_bytes_) {
      lowered.precision = to_string(Precision::fp8);
      lowered.types = Types::checked_by_lowering;
    }
    if (tokens_ > 1) {
      lowered.reason = "its tokens are taken to be spread " +
                       (load == "balanced" ? "evenly" : "by " + load) + " over " +
                       std::to_string(busy) + " experts";
    }
    if (node_.flag("use_sparse_mixer")) {
      lowered.reason += lowered.reason.empty() ? "" : "; ";
      lowered.reason += "what its sparse mixer hides between the softmaxes is left out";
    }
    return lowered;
  }

 private:
  void refuse() const {
    if (node_.flag("swiglu_limit_after_activation")) {
      throw NotExpressible("gates that are limited behind their function");
    }
    if (needs_third() && !has(experts_.third)) {
      throw NotExpressible("no weights of the gated half");
    }
    if (fused_ && has(experts_.third)) throw NotExpressible("a third product for " + activation_);
    for (const ExpertInputs* inputs : {&experts_.first, &experts_.second, &experts_.third}) {
      if (has(*inputs) && !node_.input(inputs->weights).constant) {
        throw NotExpressible("weights that change with every run");
      }
      if (inputs->data_scale && node_.text("quant_type", "int") != "fp8") {
        throw NotExpressible("data that are converted to fp8 for other weights");
      }
      if (!has(*inputs) && (inputs->bias || inputs->zero_points)) {
        throw NotExpressible("a bias or zero points without weights");
      }
    }
  }

  bool has(const ExpertInputs& inputs) const { return node_.has_input(inputs.weights); }
  bool needs_third() const { return activation_ == "swiglu" && !fused_; }

  /// A copy of as many elements, which the model picks when it runs.
  Source move(std::int64_t elements, Source from) {
    Call copy = call(Copy{.dims = {elements}, .from = {1}, .to = {1}}.canonical(), {from});
    copy.is_proxy = true;
    return add_call(calls_, std::move(copy));
  }

  /// The factors of the chosen experts' results.
  Source choose() {
    Source all = from_input(1);
    if (experts_.factors) {
      all = from_input(*experts_.factors);
    } else {
      // A sparse mixer takes one expert at a time from what is near the largest.
      const std::int64_t turns = node_.flag("use_sparse_mixer") ? chosen_ : 1;
      for (std::int64_t turn = 0; turn < turns; ++turn) {
        calls_.push_back(call(Softmax{.input = {tokens_, count_}, .axis = 1}, {all}));
        calls_.back().is_proxy = turns > 1;
      }
      all = last_result(calls_);
    }
    const Source picked = move(checked_product(tokens_, chosen_), all);
    if (!node_.flag("normalize_routing_weights")) return picked;
    const Dims dims{tokens_, chosen_};
    calls_.push_back(
        call(Reduction{.kind = ReductionKind::sum, .input = dims, .axes = {1}}, {picked}));
    return add_call(calls_, elementwise_call(BinaryKind::div, {dims, false, picked},
                                             {{tokens_, 1}, false, last_result(calls_)}));
  }

  void add_experts(const std::vector<ExpertShare>& shares, const Source& rows) {
    const Source first = add_products(shares, experts_.first, "fc1_expert_weight_bits", rows,
                                      fused_ ? 2 * inner_ : inner_, hidden_);
    Source gated{};
    if (has(experts_.third)) {
      gated = add_products(shares, experts_.third, "fc3_expert_weight_bits", rows, inner_, hidden_);
    }
    const std::int64_t all = rows_of_experts(shares);
    const Source active = add_function(all, first, gated);
    add_products(shares, experts_.second, "fc2_expert_weight_bits",
                 data_of(experts_.second, {all, inner_}, active), hidden_, inner_);
  }

  /// The data of a product, as 8-bit floats if it takes such ones.
  Source data_of(const ExpertInputs& inputs, const Dims& rows, const Source& data) {
    if (!inputs.data_scale) return data;
    calls_.push_back(
        call(Quantization{.kind = QuantizationKind::quantize, .input = rows, .fp8 = true}, {data}));
    in_bytes_ = true;
    return last_result(calls_);
  }

  std::optional<PackedWeights> packed_weights(const ExpertInputs& inputs,
                                              std::string_view bits) const {
    if (!experts_.quantized) return std::nullopt;
    return packed_experts(node_, bits, inputs.zero_points.has_value());
  }

  /// Numbers of fewer than 8 bits share bytes.
  static std::int64_t numbers_in(const std::optional<PackedWeights>& packed) {
    return packed ? 8 / bits_of(packed->type) : 1;
  }

  /// A row for each column of the result; quantized ones may be stored the other way round.
  void check_weights_of(const ExpertInputs& inputs, const std::optional<PackedWeights>& packed,
                        std::int64_t columns, std::int64_t length) const {
    const Dims& stored = node_.shape(inputs.weights);
    const auto stores = [&](std::int64_t outer, std::int64_t inner) {
      const std::int64_t numbers = numbers_in(packed);
      return inner % numbers == 0 && stored == Dims{count_, outer, inner / numbers};
    };
    if (stores(columns, length) || (packed && stores(length, columns))) return;
    throw NotExpressible("experts of " + join(stored, 'x') + " for " + std::to_string(count_) +
                         " products of " + std::to_string(length) + " by " +
                         std::to_string(columns));
  }

  /// The products of all experts, those of several as one, and their biases.
  Source add_products(const std::vector<ExpertShare>& shares, const ExpertInputs& inputs,
                      std::string_view bits, const Source& rows, std::int64_t columns,
                      std::int64_t length) {
    const auto weights = from_input(inputs.weights);
    const auto packed = packed_weights(inputs, bits);
    check_weights_of(inputs, packed, columns, length);
    const ExpertShare& first = shares.front();
    if (shares.size() == 1 && first.experts == 1) {
      calls_.push_back(
          product_call({first.rows, length}, rows, {columns, length}, weights, true, false, true));
    } else {
      GroupedGemm grouped{.groups = {}, .m = {}, .n = columns, .k = length, .transpose_b = true};
      for (const ExpertShare& share : shares) {
        grouped.groups.push_back(share.experts);
        grouped.m.push_back(share.rows);
      }
      calls_.push_back(call(grouped, {rows, weights}));
    }
    // The library multiplies 8-bit floats of one scale as they are.
    const bool as_they_are = in_bytes_ && packed == PackedWeights{.type = PackedType::fp8};
    calls_.back().problem.packed = as_they_are ? std::nullopt : packed;
    if (inputs.bias) add_biases(shares, *inputs.bias, columns);
    return last_result(calls_);
  }

  /// Of groups of different sizes, the biases are counted as one.
  void add_biases(const std::vector<ExpertShare>& shares, std::size_t bias, std::int64_t columns) {
    Dims rows{rows_of_experts(shares), columns};
    Dims biases{1, columns};
    if (shares.size() == 1) {
      const ExpertShare& share = shares.front();
      rows = {share.experts, share.rows, columns};
      biases = {share.experts, 1, columns};
    }
    calls_.push_back(elementwise_call(BinaryKind::add, {rows, false, last_result(calls_)},
                                      operand_of(node_, bias, biases)));
  }

  Source apply(ActivationKind kind, const Dims& dims, const Source& x, float alpha = 0,
               float beta = 0) {
    return add_call(calls_, function_call(dims, kind, x, alpha, beta));
  }

  /// Every other column, or one of two halves of the columns.
  Source half(std::int64_t rows, const Source& both, std::int64_t which) {
    const bool interleaved = node_.integer("swiglu_fusion", 0) == 1;
    const Dims dims{rows, inner_};
    Call copy =
        copy_call({dims, {2 * inner_, interleaved ? 2 : 1}, which * (interleaved ? 1 : inner_)},
                  dense_view(dims));
    copy.operands = {both};
    return add_call(calls_, std::move(copy));
  }

  Source function_of(const Dims& dims, const Source& x) {
    if (activation_ == "identity") return x;
    if (activation_ == "relu") return apply(ActivationKind::relu, dims, x);
    if (activation_ == "gelu") return apply(ActivationKind::gelu, dims, x);
    if (activation_ == "silu") return apply(ActivationKind::swish, dims, x, 1);
    throw NotExpressible("experts with the function " + activation_);
  }

  /// Of the first product; times the third's where there is one.
  Source add_function(std::int64_t rows, const Source& first, Source linear) {
    const Dims dims{rows, inner_};
    if (has(experts_.third) && activation_ != "swiglu") {
      const Source gate = function_of(dims, first);
      return add_call(
          calls_, elementwise_call(BinaryKind::mul, {dims, false, gate}, {dims, false, linear}));
    }
    if (activation_ != "swiglu" && activation_ != "geglu") return function_of(dims, first);
    if (!fused_ && activation_ == "geglu") throw NotExpressible("two products before a geglu");
    Source gate = first;
    if (fused_) {
      gate = half(rows, first, 0);
      linear = half(rows, first, 1);
    }
    if (activation_ == "geglu") {
      gate = apply(ActivationKind::gelu_tanh, dims, gate);
    } else {
      add_limits(dims, gate, linear);
      gate = apply(ActivationKind::swish, dims, gate, node_.real("activation_alpha", 1));
      const float beta = node_.real("activation_beta", 0);
      if (beta != 0) linear = apply(ActivationKind::linear, dims, linear, 1, beta);
    }
    return add_call(calls_,
                    elementwise_call(BinaryKind::mul, {dims, false, gate}, {dims, false, linear}));
  }

  void add_limits(const Dims& dims, Source& gate, Source& linear) {
    if (!node_.has("swiglu_limit")) return;
    const float limit = node_.real("swiglu_limit", 0);
    gate = apply(ActivationKind::clip, dims, gate, std::numeric_limits<float>::lowest(), limit);
    linear = apply(ActivationKind::clip, dims, linear, -limit, limit);
  }

  const NodeView& node_;
  Experts experts_;
  std::vector<Call> calls_;
  std::int64_t hidden_ = 0;
  std::int64_t inner_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t count_ = 0;
  std::int64_t chosen_ = 0;
  std::string activation_;
  /// Products take 8-bit floats.
  bool in_bytes_ = false;
  /// The first product makes both halves of a gated function.
  bool fused_ = false;
};

/// Every token needs `k` experts; all of them no more than there are. A stated load says how many.
std::vector<PartRead> experts_read(const NodeView& node, const Experts& experts) {
  if (node.shape(0).empty()) throw NotExpressible("an input without axes");
  const std::int64_t tokens = node.elements(0) / std::max<std::int64_t>(1, node.shape(0).back());
  const std::string load = node.text(expert_load_attribute, "");
  std::vector<PartRead> parts;
  for (const std::size_t input : experts.of_experts) {
    if (!node.has_input(input) || node.shape(input).empty()) continue;
    const std::int64_t count = node.shape(input)[0];
    if (count < 1) continue;
    const std::int64_t chosen = std::clamp<std::int64_t>(node.integer("k", 1), 1, count);
    PartRead part{.input = input,
                  .least = chosen,
                  .most = std::min(count, checked_product(chosen, tokens)),
                  .of = count};
    if (!load.empty())
      part.least = part.most = busy_experts(expert_shares(load, tokens, chosen, count));
    parts.push_back(part);
  }
  return parts;
}

template <Experts (*experts)(const NodeView&)>
Lowered lower_experts(const NodeView& node) {
  return ExpertCalls(node, experts(node)).lower();
}

template <Experts (*experts)(const NodeView&)>
std::vector<PartRead> parts_of_experts(const NodeView& node) {
  return experts_read(node, experts(node));
}

}  // namespace

void register_moe(OperatorTable& table) {
  const std::vector<std::string_view> idle{"activation_alpha", "activation_beta", "swiglu_fusion",
                                           "swiglu_limit"};
  table.add("com.microsoft.MoE", {.shapes = {{like_first}},
                                  .lower = lower_experts<plain_experts>,
                                  .parts = parts_of_experts<plain_experts>,
                                  .idle_attributes = idle});
  std::vector<std::string_view> quantized_idle = idle;
  // Of weights: how they are laid out, the usual number of bits where each layer states its own,
  // and how exact the products need to be.
  for (const auto* name :
       {"accuracy_level", "block_size", "expert_weight_bits", "fc1_expert_weight_bits",
        "fc2_expert_weight_bits", "fc3_expert_weight_bits", "weights_prepacked"}) {
    quantized_idle.emplace_back(name);
  }
  table.add("com.microsoft.QMoE", {.shapes = {{like_first}},
                                   .lower = lower_experts<quantized_experts>,
                                   .parts = parts_of_experts<quantized_experts>,
                                   .idle_attributes = std::move(quantized_idle),
                                   .idle_inputs = {1, 3, 6, 9, 11, 12, 13, 15, 16, 17, 18}});
}

}  // namespace benanza::onnx
