#include <onnx/onnx_pb.h>
#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/sliding_window.h"

namespace benanza::onnx {
namespace {

/// The result and the positions of the maxima.
std::vector<TensorFacts> pool_shape(const NodeView& node) {
  const bool last = has_channels_last(node);
  const Dims input = last ? channels_second(node.shape(0)) : node.shape(0);
  const auto kernel = node.integers("kernel_shape");
  if (!kernel) throw Error("attribute \"kernel_shape\" is missing");
  if (input.size() < 3) throw Error("an input of " + join(input, 'x') + " has no spatial axes");
  const Dims extents = spatial(input);
  const Dims windows = sliding_window(node, extents, *kernel).window.output(extents);
  Dims dims{input[0], input[1]};
  dims.insert(dims.end(), windows.begin(), windows.end());
  if (last) dims = channels_last(dims);
  return {{node.input(0).type, dims}, {::onnx::TensorProto::INT64, dims}};
}

std::vector<TensorFacts> global_pool_shape(const NodeView& node) {
  const bool last = has_channels_last(node);
  Dims dims = node.shape(0);
  const std::size_t end = dims.size() - (last && !dims.empty() ? 1 : 0);
  for (std::size_t axis = last ? 1 : 2; axis < end; ++axis) dims[axis] = 1;
  return {{node.input(0).type, dims}};
}

void check_unpooling(const NodeView& node) {
  if (!node.has_input(1)) throw Error("has no indices");
  const auto rank = node.rank(0);
  const auto indices = node.rank(1);
  if (rank && *rank < 3) throw Error("has an input of " + std::to_string(*rank) + " axes");
  if (rank && indices && *rank != *indices) {
    throw Error("has indices of " + std::to_string(*indices) + " axes for an input of " +
                std::to_string(*rank));
  }
}

/// The stated extents, or those of which the window's pooling makes the input.
std::vector<TensorFacts> unpooled_shape(const NodeView& node) {
  check_unpooling(node);
  if (node.has_input(2)) return {{node.input(0).type, node.integers(2)}};
  Dims dims = node.shape(0);
  const Dims kernel = node.integers("kernel_shape").value_or(Dims());
  const std::size_t spatial_axes = kernel.size();
  const Dims strides = node.integers("strides").value_or(Dims(spatial_axes, 1));
  const Dims pads = node.integers("pads").value_or(Dims(2 * spatial_axes, 0));
  if (dims.size() != spatial_axes + 2 || strides.size() != spatial_axes ||
      pads.size() != 2 * spatial_axes) {
    throw Error("its window does not fit an input of " + std::to_string(dims.size()) + " axes");
  }
  for (std::size_t axis = 0; axis < spatial_axes; ++axis) {
    const std::int64_t last = checked_product(checked_difference(dims[axis + 2], 1), strides[axis]);
    dims[axis + 2] = checked_difference(
        checked_difference(checked_sum(last, kernel[axis]), pads[axis]), pads[axis + spatial_axes]);
  }
  return {{node.input(0).type, dims}};
}

/// Inputs: images and a row per region. The schema's function reads axes that may be missing.
std::vector<TensorFacts> region_shape(const NodeView& node) {
  const Dims& images = node.shape(0);
  const Dims& regions = node.shape(1);
  const Dims pooled = node.integers("pooled_shape").value_or(Dims());
  if (images.size() != 4 || regions.size() != 2 || pooled.size() != 2) {
    throw Error("wants images of 4 axes, regions of 2, and 2 extents");
  }
  return {{node.input(0).type, Dims{regions[0], images[1], pooled[0], pooled[1]}}};
}

SlidingWindow stated_window(const NodeView& node, const Dims& input) {
  const auto kernel = node.integers("kernel_shape");
  if (!kernel) throw Error("attribute \"kernel_shape\" is missing");
  return sliding_window(node, spatial(input), *kernel);
}

Lowered lower_max_pool(const NodeView& node) {
  if (node.has_output(1)) throw NotExpressible("positions of the maxima (output Indices)");
  const Dims input = image_with_channels_second(node, has_channels_last(node));
  Lowered lowered = measured({call(
      Pooling{.input = input, .window = stated_window(node, input).window}, {from_input(0)})});
  // The maximum of bytes is a byte of the same scale: measured at int8.
  if (type_bytes(node.input(0).type) == 1) {
    lowered.types = Types::checked_by_lowering;
    lowered.precision = to_string(Precision::int8);
  }
  return lowered;
}

bool any(const Dims& extents) {
  return std::ranges::any_of(extents, [](std::int64_t extent) { return extent != 0; });
}

/// Pads that the node states, without those that only ceil_mode makes.
Dims stated_pads(const SlidingWindow& sliding) {
  Dims pads = sliding.window.pads;
  const std::size_t rank = sliding.overhang.size();
  for (std::size_t axis = 0; axis < rank; ++axis) pads[rank + axis] -= sliding.overhang[axis];
  return pads;
}

/// Pads count, the overhang of ceil_mode does not. No library has two kinds of padding: a copy into
/// the padded image, then the pooling.
Lowered lower_padded_average(const Dims& input, const SlidingWindow& sliding) {
  const Dims pads = stated_pads(sliding);
  const std::size_t rank = sliding.overhang.size();
  Dims padded = input;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    padded[2 + axis] += pads[axis] + pads[rank + axis];
  }
  View to = dense_view(padded);
  for (std::size_t axis = 0; axis < rank; ++axis) to.offset += pads[axis] * to.strides[2 + axis];
  to.dims = input;
  Pooling pooling{
      .input = padded, .window = sliding.window, .mode = PoolingMode::average_exclude_pad};
  pooling.window.pads = Dims(rank, 0);
  pooling.window.pads.insert(pooling.window.pads.end(), sliding.overhang.begin(),
                             sliding.overhang.end());
  return measured({copy_call(dense_view(input), to), call(pooling, {from_call(0)})});
}

Lowered lower_average_pool(const NodeView& node) {
  const Dims input = image_with_channels_second(node, has_channels_last(node));
  const SlidingWindow sliding = stated_window(node, input);
  PoolingMode mode = PoolingMode::average_exclude_pad;
  if (node.flag("count_include_pad") && any(stated_pads(sliding))) {
    if (any(sliding.overhang)) return lower_padded_average(input, sliding);
    mode = PoolingMode::average_include_pad;
  }
  return measured(
      {call(Pooling{.input = input, .window = sliding.window, .mode = mode}, {from_input(0)})});
}

/// The norm of each window: the mean of magnitudes or squares, times their number.
Lowered lower_norm_pool(const NodeView& node) {
  const std::int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) throw NotExpressible("a norm of order " + std::to_string(p));
  const Dims input = node.extents(0);
  const Window window = stated_window(node, input).window;
  const auto function = [](const Dims& dims, ActivationKind kind, float alpha, int last) {
    return function_call(dims, kind, from_call(last), alpha);
  };
  std::vector<Call> calls;
  if (p == 1) {
    calls.push_back(function_call(input, ActivationKind::abs, from_input(0)));
  } else {
    calls.push_back(elementwise_call(BinaryKind::mul, {input, false, from_input(0)},
                                     {input, false, from_input(0)}));
  }
  const Pooling pooling{.input = input,
                        .window = window,
                        .mode = window.has_padding() ? PoolingMode::average_include_pad
                                                     : PoolingMode::average_exclude_pad};
  calls.push_back(call(pooling, {from_call(0)}));
  const Dims made = output(calls.back().problem);
  const auto count = static_cast<float>(element_count(window.kernel));
  calls.push_back(function(made, ActivationKind::linear, count, 1));
  if (p == 2) calls.push_back(function(made, ActivationKind::sqrt, 0, 2));
  return measured(std::move(calls));
}

void check_images(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  if (rank < 2) throw Error("an input of " + std::to_string(rank) + " axes has no channels");
}

template <PoolingMode mode>
Lowered lower_global_pool(const NodeView& node) {
  check_images(node);
  const Dims input = image_with_channels_second(node, has_channels_last(node));
  const Dims extents = spatial(input);
  const Dims ones(extents.size(), 1);
  return measured({call(Pooling{.input = input,
                                .window = {.kernel = extents,
                                           .pads = Dims(2 * extents.size(), 0),
                                           .strides = ones,
                                           .dilations = ones},
                                .mode = mode},
                        {from_input(0)})});
}

/// The norm of each channel.
Lowered lower_global_norm(const NodeView& node) {
  const std::int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) throw NotExpressible("a norm of order " + std::to_string(p));
  const Dims& input = node.shape(0);
  Dims axes;
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) throw Error("an input of " + join(input, 'x') + " has no spatial axes");
  const ReductionKind kind = p == 1 ? ReductionKind::l1 : ReductionKind::l2;
  return measured({call(Reduction{.kind = kind, .input = input, .axes = axes}, {from_input(0)})});
}

/// Images of one pixel are their own mean and maximum.
template <PoolingMode mode>
Lowered lower_global_pool_of_floats(const NodeView& node) {
  check_images(node);
  if (element_count(spatial(node.shape(0))) == 1) return free_layer("its images are one pixel");
  return lower_global_pool<mode>(node);
}

/// Inputs: x, its scale and zero point, the result's.
template <LowerFunction lower>
Lowered of_bytes(const NodeView& node) {
  Lowered lowered = lower(node);
  lowered.types = Types::checked_by_lowering;
  lowered.precision = to_string(Precision::int8);
  return has_channels_last(node) ? of_channels_last(node, std::move(lowered)) : lowered;
}

template <LowerFunction lower>
Lowered lower_nhwc(const NodeView& node) {
  return of_channels_last(node, lower(node));
}

void register_nhwc_pooling(OperatorTable& table) {
  const std::string domain = std::string(nhwc_domain) + '.';
  constexpr auto average = PoolingMode::average_exclude_pad;
  table.add("com.microsoft.NhwcMaxPool",
            {.shapes = {{pool_shape}}, .lower = lower_nhwc<lower_max_pool>});
  table.add(domain + "MaxPool", {.shapes = {{pool_shape}},
                                 .lower = lower_nhwc<lower_max_pool>,
                                 .idle_attributes = {"storage_order"}});
  table.add(domain + "AveragePool",
            {.shapes = {{pool_shape}}, .lower = lower_nhwc<lower_average_pool>});
  table.add(domain + "GlobalMaxPool", {.shapes = {{global_pool_shape}},
                                       .lower = lower_nhwc<lower_global_pool<PoolingMode::max>>});
  table.add(domain + "GlobalAveragePool",
            {.shapes = {{global_pool_shape}}, .lower = lower_nhwc<lower_global_pool<average>>});
}

}  // namespace

void register_pooling(OperatorTable& table) {
  // The schemas include windows that start after the end of the input, which frameworks and newer
  // opsets omit, and ignore the dilations of AveragePool.
  table.add(
      "MaxPool",
      {.shapes = {{pool_shape}}, .lower = lower_max_pool, .idle_attributes = {"storage_order"}});
  table.add("AveragePool", {.shapes = {{pool_shape}}, .lower = lower_average_pool});
  table.add("LpPool", {.shapes = {{pool_shape}}, .lower = lower_norm_pool});
  table.add("GlobalMaxPool", {.lower = lower_global_pool_of_floats<PoolingMode::max>});
  table.add("GlobalAveragePool",
            {.lower = lower_global_pool_of_floats<PoolingMode::average_exclude_pad>});
  table.add("GlobalLpPool", {.lower = lower_global_norm});
  table.add("com.microsoft.MaxpoolWithMask",
            {.shapes = {{pool_shape}}, .unsupported = "no library here pools what a mask shows"});
  table.add("MaxUnpool",
            {.shapes = {{unpooled_shape}},
             .unsupported = "no library here places values by the positions of maxima"});
  table.add("RoiAlign", {.unsupported = "no library here pools regions"});
  table.add("MaxRoiPool",
            {.shapes = {{region_shape}}, .unsupported = "no library here pools regions"});
  // ONNX Runtime's blocked layout is still described by NCHW shapes.
  table.add(
      "com.microsoft.nchwc.MaxPool",
      {.shapes = {{pool_shape}}, .lower = lower_max_pool, .idle_attributes = {"storage_order"}});
  table.add("com.microsoft.nchwc.AveragePool",
            {.shapes = {{pool_shape}}, .lower = lower_average_pool});
  table.add("com.microsoft.nchwc.GlobalMaxPool",
            {.shapes = {{global_pool_shape}}, .lower = lower_global_pool<PoolingMode::max>});
  table.add("com.microsoft.nchwc.GlobalAveragePool",
            {.shapes = {{global_pool_shape}},
             .lower = lower_global_pool<PoolingMode::average_exclude_pad>});
  register_nhwc_pooling(table);
  table.add("com.microsoft.QLinearAveragePool", {.shapes = {{pool_shape}},
                                                 .lower = of_bytes<lower_average_pool>,
                                                 .idle_inputs = {1, 2, 3, 4}});
  table.add("com.microsoft.QLinearGlobalAveragePool",
            {.shapes = {{global_pool_shape}},
             .lower = of_bytes<lower_global_pool<PoolingMode::average_exclude_pad>>,
             .idle_inputs = {1, 2, 3, 4}});
}

}  // namespace benanza::onnx
