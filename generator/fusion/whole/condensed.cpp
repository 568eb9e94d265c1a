#include <algorithm>

#include "generator/fusion/whole/whole.h"

namespace benanza::fusion {
namespace {

/// For every layer, the operator that it belongs to; if there are several, the one that ends last.
std::vector<const WholeOperator*> owners(std::size_t layers,
                                         const std::vector<WholeOperator>& operators) {
  std::vector<const WholeOperator*> owner(layers, nullptr);
  for (std::size_t index = operators.size(); index-- > 0;) {
    // Of operators with the same last layer, the longest comes last.
    const auto& all = operators[index].layers;
    if (all.size() == 1) continue;
    if (std::any_of(all.begin(), all.end(), [&](std::size_t layer) { return owner[layer]; })) {
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
