// Convolutions and pooling.

#include <algorithm>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

/// Expands a single value to all axes.
std::optional<Dims> spread(const std::optional<Dims>& values, std::size_t rank) {
  if (!values) return std::nullopt;
  if (values->size() == 1) return Dims(rank, values->front());
  if (values->size() != rank) return std::nullopt;
  return values;
}

/// The pads before, then after each axis: PyTorch pads both sides alike.
Dims both_sides(const Dims& pads) {
  Dims both = pads;
  both.insert(both.end(), pads.begin(), pads.end());
  return both;
}

struct WindowArguments {
  std::size_t stride, padding, dilation;
};

std::optional<Window> window_of(const Call& call, const Dims& kernel, WindowArguments at) {
  const std::size_t rank = kernel.size();
  const auto strides = spread(call.integers(at.stride), rank);
  const auto pads = spread(call.integers(at.padding), rank);
  const auto dilations = spread(call.integers(at.dilation), rank);
  if (rank == 0 || !strides || !pads || !dilations) return std::nullopt;
  return Window{
      .kernel = kernel, .pads = both_sides(*pads), .strides = *strides, .dilations = *dilations};
}

Part convolution(const Call& call, WindowArguments at, std::optional<std::int64_t> groups) {
  const Dims& input = call.dims(0);
  const Dims& weights = call.dims(1);
  if (input.size() < 3 || weights.size() != input.size()) return plain("Conv", {});
  const auto window = window_of(call, spatial(weights), at);
  if (!window || !groups) return plain("Conv", {});
  return part("Conv",
              std::optional(Convolution{
                  .input = input, .filters = weights[0], .window = *window, .groups = *groups}));
}

Part deconvolution(const Call& call, WindowArguments at, std::size_t output_padding,
                   std::optional<std::int64_t> groups) {
  const Dims& input = call.dims(0);
  const Dims& weights = call.dims(1);
  if (input.size() < 3 || weights.size() != input.size()) return plain("ConvTranspose", {});
  auto window = window_of(call, spatial(weights), at);
  const std::size_t rank = input.size() - 2;
  const auto extra = spread(call.integers(output_padding), rank);
  if (!window || !groups || !extra) return plain("ConvTranspose", {});
  for (std::size_t axis = 0; axis < rank; ++axis) window->pads[rank + axis] -= (*extra)[axis];
  return part(
      "ConvTranspose",
      std::optional(Deconvolution{
          .input = input, .filters = weights[1] * *groups, .window = *window, .groups = *groups}));
}

Part with_bias(Part product, const Call& call, std::size_t bias) {
  product.bias = call.is_tensor(bias);
  return product;
}

// input, weight, bias, stride, padding, dilation, groups
std::vector<Part> conv(const Call& call) {
  return {with_bias(convolution(call, {3, 4, 5}, call.integer(6)), call, 2)};
}

// input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
std::vector<Part> general_conv(const Call& call) {
  if (call.truth(6)) {
    return {with_bias(deconvolution(call, {3, 4, 5}, 7, call.integer(8)), call, 2)};
  }
  return {with_bias(convolution(call, {3, 4, 5}, call.integer(8)), call, 2)};
}

// input, weight, padding, stride, dilation, groups
std::vector<Part> cudnn_conv(const Call& call) {
  return {convolution(call, {3, 2, 4}, call.integer(5))};
}

Part relu_of(const Dims& dims) {
  if (dims.empty()) return plain("Relu", dims);
  return part("Relu", std::optional(Activation{.input = dims, .kind = ActivationKind::relu}), dims);
}

// input, weight, bias, stride, padding, dilation, groups; then max(x, 0)
std::vector<Part> conv_relu(const Call& call) {
  Part first = with_bias(convolution(call, {3, 4, 5}, call.integer(6)), call, 2);
  Part second = relu_of(first.output);
  return {std::move(first), std::move(second)};
}

// input, weight, z, alpha, bias, stride, padding, dilation, groups
std::vector<Part> conv_add_relu(const Call& call) {
  Part first = with_bias(convolution(call, {5, 6, 7}, call.integer(8)), call, 4);
  const Dims result = first.output;
  if (result.empty()) return {std::move(first), plain("Add", {}), plain("Relu", {})};
  const Binary sum{.kind = BinaryKind::add, .a = result, .b = call.dims(2)};
  return {std::move(first), part("Add", std::optional(sum), result), relu_of(result)};
}

// input, weight, kernel, bias, stride, padding, dilation
std::vector<Part> depthwise(const Call& call) {
  if (call.dims(0).size() < 2) return {plain("Conv", {})};
  return {with_bias(convolution(call, {4, 5, 6}, call.dims(0)[1]), call, 3)};
}

// input, weight, bias, stride, padding, output_padding, groups, dilation
std::vector<Part> conv_transpose(const Call& call) {
  return {with_bias(deconvolution(call, {3, 4, 7}, 5, call.integer(6)), call, 2)};
}

/// Returns true if no stride is 0 and the windows fit the padded input.
bool fits(const Window& window, const Dims& extents) {
  if (std::ranges::find(window.strides, 0) != window.strides.end()) return false;
  const Dims windows = window.output(extents);
  return std::ranges::all_of(windows, [](std::int64_t count) { return count > 0; });
}

std::optional<Pooling> pooling(const Call& call, PoolingMode mode,
                               const std::optional<Dims>& dilations, std::size_t ceil_mode) {
  const Dims& input = call.dims(0);
  if (input.size() < 3) return std::nullopt;
  const std::size_t rank = input.size() - 2;
  const auto kernel = spread(call.integers(1), rank);
  auto strides = call.integers(2);
  if (strides && strides->empty()) strides = kernel;
  strides = spread(strides, rank);
  const auto pads = spread(call.integers(3), rank);
  if (!kernel || !strides || !pads || !dilations || dilations->size() != rank) return std::nullopt;
  Window window{
      .kernel = *kernel, .pads = both_sides(*pads), .strides = *strides, .dilations = *dilations};
  const bool overhangs = call.truth(ceil_mode) && fits(window, spatial(input)) &&
                         window.round_up(spatial(input)) != Dims(rank, 0);
  if (mode == PoolingMode::average_include_pad) {
    // Pads count in the mean but the overhang does not: no library supports both kinds of padding.
    if (overhangs) return std::nullopt;
    if (!window.has_padding()) mode = PoolingMode::average_exclude_pad;
  }
  return Pooling{.input = input, .window = window, .mode = mode};
}

std::size_t rank_of(const Call& call) {
  return call.dims(0).size() < 2 ? 0 : call.dims(0).size() - 2;
}

// input, kernel, stride, padding, dilation, ceil_mode
std::vector<Part> max_pool(const Call& call) {
  const auto dilations = spread(call.integers(4), rank_of(call));
  return {part("MaxPool", pooling(call, PoolingMode::max, dilations, 5))};
}

// input, kernel, stride, padding, ceil_mode, count_include_pad, divisor
std::vector<Part> average_pool(const Call& call) {
  // Divided by another number than that of the elements, it is no mean.
  if (!call.argument(6).value.empty()) {
    Part refused = plain("AveragePool", {});
    refused.reason = "a divisor";
    return {std::move(refused)};
  }
  const auto mode =
      call.truth(5) ? PoolingMode::average_include_pad : PoolingMode::average_exclude_pad;
  return {part("AveragePool", pooling(call, mode, Dims(rank_of(call), 1), 4))};
}

/// Known only if all windows are equal: the input's extents must be multiples of the output's.
std::optional<Pooling> adaptive(const Call& call, PoolingMode mode) {
  const Dims& input = call.dims(0);
  if (input.size() < 3) return std::nullopt;
  const Dims extents = spatial(input);
  const auto outputs = spread(call.integers(1), extents.size());
  if (!outputs) return std::nullopt;
  Window window{.kernel = {},
                .pads = Dims(2 * extents.size(), 0),
                .strides = {},
                .dilations = Dims(extents.size(), 1)};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if ((*outputs)[axis] < 1 || extents[axis] % (*outputs)[axis] != 0) return std::nullopt;
    window.kernel.push_back(extents[axis] / (*outputs)[axis]);
    window.strides.push_back((*outputs)[axis] == 1 ? 1 : window.kernel.back());
  }
  return Pooling{.input = input, .window = window, .mode = mode};
}

std::vector<Part> adaptive_average_pool(const Call& call) {
  return {part("AveragePool", adaptive(call, PoolingMode::average_exclude_pad))};
}

std::vector<Part> adaptive_max_pool(const Call& call) {
  return {part("MaxPool", adaptive(call, PoolingMode::max))};
}

constexpr Entry window_table[] = {
    {"conv1d", conv},
    {"conv2d", conv},
    {"conv3d", conv},
    {"convolution", general_conv, arguments<7>},
    // Settings of the library.
    {"_convolution", general_conv, arguments<7, 9, 10, 11, 12>},
    {"cudnn_convolution", cudnn_conv, arguments<6, 7, 8>},
    {"cudnn_convolution_relu", conv_relu},
    // The factor of z.
    {"cudnn_convolution_add_relu", conv_add_relu, arguments<3>},
    // The extents of the weights.
    {"_conv_depthwise2d", depthwise, arguments<2>},
    {"conv_depthwise3d", depthwise, arguments<2>},
    {"conv_transpose1d", conv_transpose},
    {"conv_transpose2d", conv_transpose},
    {"conv_transpose3d", conv_transpose},
    {"max_pool1d", max_pool},
    {"max_pool2d", max_pool},
    {"max_pool3d", max_pool},
    {"max_pool2d_with_indices", max_pool},
    {"max_pool3d_with_indices", max_pool},
    {"avg_pool1d", average_pool},
    {"avg_pool2d", average_pool},
    {"avg_pool3d", average_pool},
    {"adaptive_avg_pool1d", adaptive_average_pool},
    {"adaptive_avg_pool2d", adaptive_average_pool},
    {"_adaptive_avg_pool2d", adaptive_average_pool},
    {"adaptive_avg_pool3d", adaptive_average_pool},
    {"adaptive_max_pool2d", adaptive_max_pool},
};

}  // namespace

std::span<const Entry> window_operators() { return window_table; }

}  // namespace benanza::analysis::kineto
