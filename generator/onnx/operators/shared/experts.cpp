#include "generator/onnx/operators/shared/experts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/model/tensor.h"
#include "generator/onnx/operators/shared/quantization.h"

namespace benanza::onnx {
namespace {

constexpr std::string_view power_law = "power_law:";

/// A number from 0 on.
std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && stop == text.data() + text.size();
  return is_whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The numbers of a list; empty if it is none.
std::vector<double> listed(std::string_view text) {
  std::vector<double> values;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto value = positive_number(text.substr(0, comma));
    if (!value) return {};
    values.push_back(*value);
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

/// The exponent of a power law.
std::optional<double> exponent_of(std::string_view load) {
  if (!load.starts_with(power_law)) return std::nullopt;
  return positive_number(load.substr(power_law.size()));
}

/// The values below which (i + 1/2) / count of a power law between `least` and `most` lies, for
/// every i; largest first.
std::vector<double> quantiles(double exponent, double least, double most, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = count; i-- > 0;) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    if (std::abs(exponent - 1) < 1e-9) {
      values.push_back(least * std::pow(most / least, share));
      continue;
    }
    const double power = 1 - exponent;
    const double from = std::pow(least, power);
    values.push_back(std::pow(from + (std::pow(most, power) - from) * share, 1 / power));
  }
  return values;
}

/// Whole numbers in proportion to `wanted` that add up to `sum`, none above `most`; `wanted`
/// descends.
std::vector<std::int64_t> apportioned(const std::vector<double>& wanted, std::int64_t sum,
                                      std::int64_t most) {
  std::vector<std::int64_t> counts(wanted.size());
  std::vector<double> rest(wanted.size());
  const double all = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  std::int64_t left = sum;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double exact = static_cast<double>(sum) * wanted[i] / all;
    counts[i] = std::min(most, static_cast<std::int64_t>(exact));
    rest[i] = exact - static_cast<double>(counts[i]);
    left -= counts[i];
  }
  // The largest remainders first; what experts with all tokens cannot take goes on in turn.
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return rest[i]; });
  while (left > 0) {
    const std::int64_t before = left;
    for (const std::size_t i : order) {
      if (left == 0 || counts[i] == most || wanted[i] == 0) continue;
      ++counts[i];
      --left;
    }
    if (left == before) throw FlagError("--expert-load: too few experts have tokens");
  }
  std::ranges::sort(counts, std::greater{});
  return counts;
}

std::vector<double> wanted_of(std::string_view load, std::int64_t tokens, std::int64_t chosen,
                              std::int64_t experts) {
  if (const auto exponent = exponent_of(load)) {
    const bool is_many = tokens * chosen > experts;
    const double most = is_many ? std::max(1.0, 0.8 * static_cast<double>(tokens)) : 2;
    return quantiles(*exponent, is_many ? 1 : 0.01, most, experts);
  }
  std::vector<double> wanted = listed(load);
  if (std::ssize(wanted) != experts) {
    throw FlagError("--expert-load: " + std::to_string(wanted.size()) + " numbers for " +
                    std::to_string(experts) + " experts");
  }
  std::ranges::sort(wanted, std::greater{});
  return wanted;
}

void set_load(::onnx::GraphProto& graph, const std::string& load) {
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) set_load(*attribute.mutable_g(), load);
    }
    const bool is_mixture =
        node.domain() == "com.microsoft" && (node.op_type() == "MoE" || node.op_type() == "QMoE");
    if (!is_mixture) continue;
    auto& attribute = *node.add_attribute();
    attribute.set_name(std::string(expert_load_attribute));
    attribute.set_type(::onnx::AttributeProto::STRING);
    attribute.set_s(load);
  }
}

ExpertInputs expert_inputs(const NodeView& node, std::size_t weights, std::size_t bias,
                           std::size_t zero_points = 0) {
  ExpertInputs inputs{.weights = weights};
  if (node.has_input(bias)) inputs.bias = bias;
  if (zero_points != 0 && node.has_input(zero_points)) inputs.zero_points = zero_points;
  return inputs;
}

}  // namespace

void require_expert_load(std::string_view load) {
  const std::vector<double> numbers = listed(load);
  const bool is_list = std::ranges::any_of(numbers, [](double number) { return number > 0; });
  if (load == "balanced" || exponent_of(load) || is_list) return;
  throw FlagError("--expert-load " + std::string(load) +
                  ": wants balanced, power_law:ALPHA, or a number for each expert: N,N,...");
}

std::vector<ExpertShare> expert_shares(std::string_view load, std::int64_t tokens,
                                       std::int64_t chosen, std::int64_t experts) {
  require_expert_load(load);
  const std::int64_t choices = checked_product(tokens, chosen);
  constexpr std::int64_t most_experts = 4096;
  if ((load == "balanced" ? std::min(choices, experts) : experts) > most_experts) {
    throw NotExpressible("more than " + std::to_string(most_experts) + " experts");
  }
  std::vector<std::int64_t> counts;
  if (load == "balanced") {
    const std::int64_t busy = std::min(choices, experts);
    counts = apportioned(std::vector<double>(static_cast<std::size_t>(busy), 1), choices, tokens);
  } else {
    counts = apportioned(wanted_of(load, tokens, chosen, experts), choices, tokens);
  }
  std::vector<ExpertShare> shares;
  for (const std::int64_t rows : counts) {
    if (rows == 0) break;
    if (shares.empty() || shares.back().rows != rows) shares.push_back({0, rows});
    ++shares.back().experts;
  }
  return shares;
}

std::int64_t busy_experts(const std::vector<ExpertShare>& shares) {
  std::int64_t busy = 0;
  for (const ExpertShare& share : shares) busy += share.experts;
  return busy;
}

std::int64_t rows_of_experts(const std::vector<ExpertShare>& shares) {
  std::int64_t rows = 0;
  for (const ExpertShare& share : shares) rows += share.experts * share.rows;
  return rows;
}

void state_expert_load(::onnx::ModelProto& model, const std::string& load) {
  set_load(*model.mutable_graph(), load);
}

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
