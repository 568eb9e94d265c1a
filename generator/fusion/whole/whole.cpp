#include "generator/fusion/whole/whole.h"

#include <algorithm>
#include <cmath>

namespace benanza::fusion {
namespace {

/// The longest of the operators below, including casts in between.
constexpr std::size_t most_layers = 14;

std::size_t layers_with_work(const Flow& flow, const Cone& cone) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cone.layers, [&](std::size_t layer) { return !flow.passes_on(layer); }));
}

bool reduces(const LoweredLayer& layer) {
  return std::ranges::any_of(layer.calls, [](const Call& call) {
    return std::holds_alternative<Reduction>(call.problem.shape) ||
           std::holds_alternative<Softmax>(call.problem.shape);
  });
}

/// Replaces a power of 2 or 3 by products, which libraries compute faster.
std::optional<WholeOperator> power_by_products(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (layer.cost != Cost::measured || layer.calls.size() != 1) return std::nullopt;
  const auto* power = std::get_if<Activation>(&layer.calls[0].problem.shape);
  if (power == nullptr || power->kind != ActivationKind::pow) return std::nullopt;
  const Read* x = flow.read(index, layer.calls[0].operands[0]);
  if (x == nullptr || (power->alpha != 2 && power->alpha != 3)) return std::nullopt;
  Problem products{Binary{.kind = BinaryKind::mul, .a = power->input, .b = power->input}, {}};
  if (power->alpha == 2) return WholeOperator{"square", {index}, products, {*x, *x}};
  products = with_step(products, Combine{.kind = CombineKind::mul, .y = power->input});
  return WholeOperator{"cube", {index}, products, {*x, *x, *x}};
}

/// For every layer, the operator that it belongs to; if there are several, the one that ends last.
std::vector<const WholeOperator*> owners(std::size_t layers,
                                         const std::vector<WholeOperator>& operators) {
  std::vector<const WholeOperator*> owner(layers, nullptr);
  for (std::size_t index = operators.size(); index-- > 0;) {
    // Of operators with the same last layer, the longest comes last.
    const auto& all = operators[index].layers;
    if (all.size() == 1) continue;
    if (std::ranges::any_of(all, [&](std::size_t layer) { return owner[layer]; })) {
      continue;
    }
    for (const std::size_t layer : all) owner[layer] = &operators[index];
  }
  return owner;
}

/// Counts how often layers that work at inference read each layer's results.
std::vector<int> reads_of_each(const std::vector<LoweredLayer>& layers) {
  std::vector<int> reads(layers.size(), 0);
  for (const LoweredLayer& layer : layers) {
    if (layer.constant) continue;
    for (const Read& read : layer.reads) {
      if (read.producer) ++reads[*read.producer];
    }
  }
  return reads;
}

LoweredLayer as_layer(const LoweredLayer& last, const WholeOperator& whole) {
  LoweredLayer layer = last;
  layer.reads = whole.operands;
  Call call{.problem = whole.problem, .operands = {}};
  for (std::size_t operand = 0; operand < whole.operands.size(); ++operand) {
    call.operands.push_back({.index = static_cast<int>(operand)});
  }
  layer.calls = {std::move(call)};
  return layer;
}

}  // namespace

bool agree(const Table& a, const Table& b) {
  if (a.rows != b.rows || a.columns != b.columns) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double allowed = 1e-4 * std::max(1.0, std::abs(b.values[i]));
    if (!(std::abs(a.values[i] - b.values[i]) <= allowed)) return false;
  }
  return true;
}

std::vector<WholeOperator> whole_operators(const Flow& flow) {
  std::vector<WholeOperator> found;
  for (std::size_t root = 0; root < flow.size(); ++root) {
    if (auto found_rotary = rotary(flow, root)) found.push_back(std::move(*found_rotary));
    if (auto power = power_by_products(flow, root)) found.push_back(std::move(*power));
    // The longest match: part of a layernorm is an rmsnorm of differences.
    std::optional<WholeOperator> longest;
    for (const Cone& cone : cones_at(flow, root, most_layers)) {
      if (layers_with_work(flow, cone) < 2) continue;
      const bool normalizes =
          std::ranges::any_of(cone.layers, [&](auto layer) { return reduces(flow.layer(layer)); });
      auto whole = (normalizes ? whole_normalization : whole_function)(flow, cone);
      if (whole) longest = std::move(whole);
    }
    if (longest) found.push_back(std::move(*longest));
  }
  return found;
}

Condensed condensed(const Flow& flow, const std::vector<WholeOperator>& operators) {
  const auto owner = owners(flow.size(), operators);
  Condensed result;
  std::vector<std::optional<std::size_t>> place(flow.size());
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const WholeOperator* whole = owner[index];
    if (whole != nullptr && whole->layers.back() != index) continue;
    place[index] = result.layers.size();
    result.layers.push_back(whole == nullptr ? flow.layer(index)
                                             : as_layer(flow.layer(index), *whole));
    result.originals.push_back(whole == nullptr ? std::vector{index} : whole->layers);
    for (Read& read : result.layers.back().reads) {
      // Other layers read inner results only for their shapes.
      if (read.producer) read.producer = place[*read.producer];
    }
  }
  // An operator reads a tensor once, however often its layers do; uses by the caller stay.
  const std::vector<int> before = reads_of_each(flow.layers());
  const std::vector<int> after = reads_of_each(result.layers);
  for (std::size_t index = 0; index < result.layers.size(); ++index) {
    result.layers[index].uses += after[index] - before[result.originals[index].back()];
  }
  return result;
}

}  // namespace benanza::fusion
