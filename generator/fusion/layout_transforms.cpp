#include "generator/fusion/layout_transforms.h"

#include <algorithm>

#include "core/problem/ops/copy.h"

namespace benanza::fusion {
namespace {

bool has_channel_order(const Call& call) {
  const Shape& shape = call.problem.shape;
  return std::holds_alternative<Convolution>(shape) || std::holds_alternative<Pooling>(shape) ||
         std::holds_alternative<BatchNormalization>(shape) || std::holds_alternative<Lrn>(shape) ||
         std::holds_alternative<Deconvolution>(shape);
}

bool has_channel_order(const LoweredLayer& layer) {
  return std::ranges::any_of(layer.calls, [](const Call& call) { return has_channel_order(call); });
}

/// Marks layers that do not depend on the model's inputs: weights and what is computed from them
/// get their layout when the model is loaded.
std::vector<bool> constant_layers(const std::vector<LoweredLayer>& layers) {
  std::vector<bool> constant(layers.size());
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const std::vector<std::size_t>& read = layers[index].inputs;
    constant[index] = layers[index].cost == Cost::free &&
                      std::ranges::all_of(read, [&](std::size_t input) { return constant[input]; });
  }
  return constant;
}

std::optional<std::string> key_of(const std::optional<Copy>& copy) {
  return copy ? std::optional(key({*copy, {}})) : std::nullopt;
}

LayoutTransform transform(std::size_t layer, bool of_input, const Dims& dims) {
  const std::int64_t batch = dims[0];
  const std::int64_t channels = dims[1];
  const std::int64_t positions = element_count(dims) / (batch * channels);
  return {.layer = layer,
          .of_input = of_input,
          .to_nhwc = key_of(transposition(batch, channels, positions)),
          .to_nchw = key_of(transposition(batch, positions, channels))};
}

}  // namespace

std::vector<LayoutTransform> layout_transforms(const std::vector<LoweredLayer>& layers) {
  constexpr std::size_t least_rank = 3;
  const std::vector<bool> constant = constant_layers(layers);
  const auto is_constant = [&](std::size_t layer) { return constant[layer]; };
  std::vector<bool> wanted(layers.size());
  for (std::size_t index = 0; index < layers.size(); ++index) {
    if (!has_channel_order(layers[index])) continue;
    wanted[index] = true;
    for (const std::size_t input : layers[index].inputs) wanted[input] = true;
  }
  std::vector<LayoutTransform> transforms;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    if (!wanted[index] || constant[index]) continue;
    const LoweredLayer& layer = layers[index];
    const bool reads_image = std::ranges::all_of(layer.inputs, is_constant) && !layer.calls.empty();
    if (reads_image) {
      const Dims dims = inputs(layer.calls.front().problem).front().dims;
      if (dims.size() >= least_rank && has_channel_order(layer)) {
        transforms.push_back(transform(index, true, dims));
      }
    }
    for (const Output& output : layer.outputs) {
      const bool known =
          output.shape && output.shape->size() >= least_rank && element_count(*output.shape) > 0;
      if (known) transforms.push_back(transform(index, false, *output.shape));
    }
  }
  return transforms;
}

}  // namespace benanza::fusion
