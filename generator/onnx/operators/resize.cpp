#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/interpolation.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// One value per axis of the input.
struct ResizeRequest {
  Dims output;
  /// output extent / input extent, as used to compute coordinates.
  std::vector<double> scales;
};

struct StatedSizes {
  std::optional<std::vector<double>> scales;
  std::optional<Dims> sizes;
};

std::vector<double> reals_of(const NodeView& node, std::size_t index) {
  return std::visit(
      [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
      node.literal(index));
}

/// ONNX Runtime's, in its blocked layout.
bool is_blocked(const NodeView& node) { return node.full_type() == "com.microsoft.nchwc.Upsample"; }

/// Upsample, and Resize before opset 11, have one fixed mode.
bool has_fixed_mode(const NodeView& node) {
  return node.op_type() == "Upsample" || node.opset() < 11;
}

std::string coordinate_mode(const NodeView& node) {
  if (is_blocked(node)) return node.text("coordinate_transformation_mode", "asymmetric");
  return has_fixed_mode(node) ? "asymmetric"
                              : node.text("coordinate_transformation_mode", "half_pixel");
}

std::string nearest_mode(const NodeView& node) {
  return has_fixed_mode(node) ? "floor" : node.text("nearest_mode", "round_prefer_floor");
}

StatedSizes stated_sizes(const NodeView& node) {
  StatedSizes found;
  if (is_blocked(node)) {
    const Dims scales = node.integers("scales").value_or(Dims());
    found.scales = std::vector<double>(scales.begin(), scales.end());
    return found;
  }
  if (node.op_type() == "Upsample" || node.opset() < 11) {
    if (node.opset() < 7) {
      found.scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
      return found;
    }
    const auto attribute = node.reals("scales");
    found.scales =
        attribute ? std::vector<double>(attribute->begin(), attribute->end()) : reals_of(node, 1);
    return found;
  }
  // An empty tensor means an omitted input.
  if (node.has_input(2)) found.scales = reals_of(node, 2);
  if (found.scales && found.scales->empty()) found.scales.reset();
  if (node.has_input(3)) found.sizes = node.integers(3);
  if (found.sizes && found.sizes->empty()) found.sizes.reset();
  if (found.scales.has_value() == found.sizes.has_value()) {
    throw Error("needs either scales or sizes");
  }
  return found;
}

Dims stated_axes(const NodeView& node, std::size_t count) {
  const std::size_t rank = node.shape(0).size();
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto some = node.integers("axes"); some && node.opset() >= 18) {
    axes = *some;
    for (std::int64_t& axis : axes) axis = NodeView::axis(axis, rank);
  }
  if (count != axes.size()) {
    throw Error("has " + std::to_string(count) + " scales or sizes for " +
                std::to_string(axes.size()) + " axes");
  }
  return axes;
}

/// Throws NotExpressible if neither sizes nor scales are known before the model runs, Error if they
/// do not fit the input.
ResizeRequest resize_request(const NodeView& node) {
  const Dims& input = node.shape(0);
  const StatedSizes wanted = stated_sizes(node);
  const Dims axes = stated_axes(node, wanted.scales ? wanted.scales->size() : wanted.sizes->size());
  ResizeRequest request{input, std::vector<double>(input.size(), 1)};
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  double common = 0;  // not_larger, not_smaller: one scale for all axes
  if (wanted.sizes && policy != "stretch") {
    for (std::size_t index = 0; index < axes.size(); ++index) {
      const double scale = static_cast<double>((*wanted.sizes)[index]) /
                           static_cast<double>(input[static_cast<std::size_t>(axes[index])]);
      const bool first = index == 0;
      common = first                    ? scale
               : policy == "not_larger" ? std::min(common, scale)
                                        : std::max(common, scale);
    }
  }
  for (std::size_t index = 0; index < axes.size(); ++index) {
    const auto axis = static_cast<std::size_t>(axes[index]);
    const auto extent = static_cast<double>(input[axis]);
    double out = 0;
    if (wanted.scales) {
      request.scales[axis] = (*wanted.scales)[index];
      // In single precision, as in the schema's own inference.
      out = std::floor(static_cast<float>(extent) * static_cast<float>(request.scales[axis]));
    } else if (common > 0) {
      request.scales[axis] = common;
      out = std::floor(extent * common + 0.5);
    } else {
      out = static_cast<double>((*wanted.sizes)[index]);
      request.scales[axis] = out / extent;
    }
    if (!(out >= 0 && out < static_cast<double>(max_tensor_elements))) {
      throw Error("makes an extent of " + std::to_string(out));
    }
    request.output[axis] = static_cast<std::int64_t>(out);
  }
  return request;
}

/// Coordinate in the input, in pixels, of output pixel `o` of `axis`, by the operator's
/// transformation mode. Throws NotExpressible for tf_crop_and_resize.
double source_coordinate(const NodeView& node, const ResizeRequest& request, std::size_t axis,
                         std::int64_t o) {
  const auto at = static_cast<double>(o);
  const double scale = request.scales[axis];
  const auto in = static_cast<double>(node.shape(0)[axis]);
  const auto out = static_cast<double>(request.output[axis]);
  const std::string mode = coordinate_mode(node);
  if (mode == "asymmetric") return at / scale;
  if (mode == "half_pixel") return (at + 0.5) / scale - 0.5;
  if (mode == "pytorch_half_pixel") return out > 1 ? (at + 0.5) / scale - 0.5 : 0;
  if (mode == "align_corners") return out > 1 ? at * (in - 1) / (out - 1) : 0;
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
  if (mode == "half_pixel_symmetric") {
    const double adjustment = out / (scale * in);
    return in / 2 * (1 - adjustment) + (at + 0.5) / scale - 0.5;
  }
  throw NotExpressible("coordinates by " + mode);
}

/// The pixel that mode "nearest" selects for a coordinate.
std::int64_t nearest_pixel(const NodeView& node, double coordinate, std::int64_t extent) {
  const std::string mode = nearest_mode(node);
  double pixel = std::ceil(coordinate - 0.5);
  if (mode == "round_prefer_ceil") pixel = std::floor(coordinate + 0.5);
  if (mode == "floor") pixel = std::floor(coordinate);
  if (mode == "ceil") pixel = std::ceil(coordinate);
  return static_cast<std::int64_t>(std::clamp(pixel, 0.0, static_cast<double>(extent - 1)));
}

std::vector<TensorFacts> resize_shape(const NodeView& node) {
  return {{node.input(0).type, resize_request(node).output}};
}

/// The input pixel for every output pixel along one axis.
Dims pixels(const NodeView& node, const ResizeRequest& request, std::size_t axis) {
  const std::int64_t extent = node.shape(0)[axis];
  Dims taken(static_cast<std::size_t>(request.output[axis]));
  for (std::size_t o = 0; o < taken.size(); ++o) {
    // An axis that is not resized keeps its pixels, whatever the rounding mode.
    taken[o] = request.scales[axis] == 1
                   ? std::min(static_cast<std::int64_t>(o), extent - 1)
                   : nearest_pixel(
                         node, source_coordinate(node, request, axis, static_cast<std::int64_t>(o)),
                         extent);
  }
  return taken;
}

/// Whether every taken[o] is taken[0] + o / repeats * step.
bool follows(const Dims& taken, std::int64_t repeats, std::int64_t step) {
  for (std::size_t o = 0; o < taken.size(); ++o) {
    if (taken[o] != taken[0] + static_cast<std::int64_t>(o) / repeats * step) return false;
  }
  return true;
}

/// The view in which every pixel is repeated or every n-th pixel is taken; empty if there is none.
std::optional<View> even_view(const Dims& input, const std::vector<Dims>& taken) {
  const Dims strides = dense_strides(input);
  View view;
  for (std::size_t axis = 0; axis < taken.size(); ++axis) {
    const auto count = static_cast<std::int64_t>(taken[axis].size());
    std::int64_t repeats = 1;
    while (repeats < count && taken[axis][static_cast<std::size_t>(repeats)] == taken[axis][0]) {
      ++repeats;
    }
    const std::int64_t step =
        repeats < count ? taken[axis][static_cast<std::size_t>(repeats)] - taken[axis][0] : 1;
    if (count % repeats != 0 || step < 0 || !follows(taken[axis], repeats, step)) return {};
    view.offset += taken[axis][0] * strides[axis];
    view.dims.insert(view.dims.end(), {count / repeats, repeats});
    view.strides.insert(view.strides.end(), {step * strides[axis], 0});
  }
  return view;
}

/// The problem with the same pixels (nearest) or weights (linear); else throws NotExpressible.
Resampling resampling(const NodeView& node, const ResizeRequest& request, ResamplingMode mode) {
  const Dims& input = node.shape(0);
  if (input.size() < 3 || input.size() > 5 || request.output[0] != input[0] ||
      request.output[1] != input[1]) {
    throw NotExpressible("a Resize of other than one to three spatial axes");
  }
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    const auto last = static_cast<double>(input[axis] - 1);
    const double rounding = 1e-3 + 1e-7 * last;  // scales are floats
    for (std::int64_t o = 0; o < request.output[axis]; ++o) {
      const double centre = (static_cast<double>(o) + 0.5) * static_cast<double>(input[axis]) /
                                static_cast<double>(request.output[axis]) -
                            0.5;
      const double stated = source_coordinate(node, request, axis, o);
      const bool equal =
          mode == ResamplingMode::linear
              ? std::abs(std::clamp(centre, 0.0, last) - std::clamp(stated, 0.0, last)) < rounding
              : std::clamp(std::floor(centre + 0.5), 0.0, last) ==
                    static_cast<double>(nearest_pixel(node, stated, input[axis]));
      if (!equal) {
        throw NotExpressible("pixels by " + coordinate_mode(node) + ", " + nearest_mode(node) +
                             ", where libraries round half-pixel centres");
      }
    }
  }
  return {
      .input = input, .extents = {request.output.begin() + 2, request.output.end()}, .mode = mode};
}

Lowered nearest(const NodeView& node, const ResizeRequest& request) {
  const Dims& input = node.shape(0);
  std::vector<Dims> taken;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    taken.push_back(pixels(node, request, axis));
  }
  if (const auto from = even_view(input, taken)) {
    return movement({copy_call(*from, dense_view(from->dims))});
  }
  return movement({call(resampling(node, request, ResamplingMode::nearest), {from_input(0)})});
}

/// Where a scale gives no whole number of pixels, the standard's reference divides by their
/// fraction, and ONNX Runtime by the whole number.
bool is_ambiguous(const NodeView& node, const ResizeRequest& request, std::size_t axis) {
  if (coordinate_mode(node) != "align_corners") return false;
  const double pixels = request.scales[axis] * static_cast<double>(node.shape(0)[axis]);
  constexpr double rounding = 1e-6;
  return std::abs(pixels - static_cast<double>(request.output[axis])) > rounding * pixels;
}

/// The weights of an axis, `in` x `out` if `transposed`, otherwise `out` x `in`. Large ones, those
/// of a filter that reads more pixels (antialias), and ambiguous ones are not stated.
Source axis_weights(const NodeView& node, const ResizeRequest& request, std::size_t axis,
                    bool transposed) {
  constexpr std::int64_t most_stated = 1 << 18;
  const std::int64_t in = node.shape(0)[axis];
  const std::int64_t out = request.output[axis];
  if (in * out > most_stated || node.flag("antialias") || is_ambiguous(node, request, axis)) {
    return from_attribute(Source::unstated);
  }
  std::vector<double> coordinates;
  for (std::int64_t o = 0; o < out; ++o) {
    coordinates.push_back(source_coordinate(node, request, axis, o));
  }
  const Interpolation how{.cubic = node.text("mode", "nearest") == "cubic",
                          .coefficient = node.real("cubic_coeff_a", -0.75F),
                          .excludes_outside = node.flag("exclude_outside")};
  const std::vector<float> weights = interpolation_weights(coordinates, in, how);
  if (!transposed) return from_numbers(weights);
  std::vector<float> turned(weights.size());
  const auto columns = static_cast<std::size_t>(in);
  const auto rows = static_cast<std::size_t>(out);
  for (std::size_t place = 0; place < weights.size(); ++place) {
    turned[place % columns * rows + place / columns] = weights[place];
  }
  return from_numbers(std::move(turned));
}

/// Interpolation is linear along every axis: a product with a matrix of weights, known when the
/// model is loaded, for every kernel and coordinate transformation.
std::vector<Call> products(const NodeView& node, const ResizeRequest& request) {
  constexpr std::int64_t most_weights = std::int64_t{1} << 26;
  std::vector<Call> calls;
  Dims dims = node.shape(0);
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    if (request.output[axis] == dims[axis] && request.scales[axis] == 1) continue;
    const Source x = calls.empty() ? from_input(0) : last_result(calls);
    const auto place = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::int64_t before = element_count({dims.begin(), place});
    const std::int64_t behind = element_count({place + 1, dims.end()});
    const std::int64_t in = *place;
    const std::int64_t out = request.output[axis];
    if (in * out > most_weights) {
      throw NotExpressible("interpolation from " + std::to_string(in) + " to " +
                           std::to_string(out) + " pixels");
    }
    if (behind == 1) {
      calls.push_back(
          product_call({before, in}, x, {in, out}, axis_weights(node, request, axis, true), true));
    } else {
      calls.push_back(product_call({1, out, in}, axis_weights(node, request, axis, false),
                                   {before, in, behind}, x, false));
    }
    *place = out;
  }
  return calls;
}

/// Libraries with an interpolation call have only linear mode with half-pixel centres.
Lowered interpolation(const NodeView& node, const ResizeRequest& request, const std::string& mode,
                      bool antialiased) {
  if (coordinate_mode(node) == "tf_crop_and_resize") {
    throw NotExpressible("coordinates by tf_crop_and_resize");
  }
  std::optional<Problem> one_call;
  if (mode == "linear" && !antialiased) {
    try {
      one_call = Problem{resampling(node, request, ResamplingMode::linear), {}};
    } catch (const NotExpressible&) {
    }
  }
  std::vector<Call> calls;
  try {
    calls = products(node, request);
  } catch (const NotExpressible&) {
    if (!one_call) throw;
  }
  if (calls.empty()) {
    if (!one_call) throw NotExpressible(mode + " interpolation");
    return measured({call(std::get<Resampling>(one_call->shape), {from_input(0)})});
  }
  Lowered lowered = measured(std::move(calls));
  lowered.whole = std::move(one_call);
  return lowered;
}

Lowered lower_resize(const NodeView& node) {
  const ResizeRequest request = resize_request(node);
  if (element_count(request.output) < 1) throw NotExpressible("an empty result");
  if (element_count(node.shape(0)) < 1) throw NotExpressible("an empty input");
  constexpr std::int64_t most_pixels = std::int64_t{1} << 22;  // each of an axis is visited
  for (const std::int64_t extent : request.output) {
    if (extent <= most_pixels) continue;
    throw NotExpressible("an axis of " + std::to_string(extent) + " pixels");
  }
  std::string mode = node.text("mode", "nearest");
  const bool keeps = request.output == node.shape(0);
  if (keeps && std::ranges::all_of(request.scales, [](double scale) { return scale == 1; })) {
    return free_layer("keeps its size");
  }
  if (mode == "nearest") return nearest(node, request);
  const bool shrinks = std::ranges::any_of(request.scales, [](double scale) { return scale < 1; });
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode != "linear" && mode != "cubic") throw NotExpressible(mode + " interpolation");
  return interpolation(node, request, mode, shrinks && node.flag("antialias"));
}

/// Of an image that shrinks, any number of pixels may have no weight.
std::vector<PartRead> pixels_with_weight(const NodeView& node) {
  const Dims& input = node.shape(0);
  const std::int64_t all = element_count(input);
  if (std::ranges::equal(resize_request(node).output, input, std::greater_equal<>())) return {};
  return {{.input = 0, .least = 0, .most = all, .of = all}};
}

}  // namespace

void register_resize(OperatorTable& table) {
  // Which pixels and weights it takes is asked where it changes the calls.
  const std::vector<std::string_view> idle{
      "antialias",           "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
      "extrapolation_value", "keep_aspect_ratio_policy",       "nearest_mode"};
  table.add("Resize", {.shapes = {{resize_shape, 11}},
                       .lower = lower_resize,
                       .parts = pixels_with_weight,
                       .idle_attributes = idle,
                       .idle_inputs = {1}});
  table.add("Upsample",
            {.shapes = {{resize_shape}}, .lower = lower_resize, .parts = pixels_with_weight});
  table.add("com.microsoft.nchwc.Upsample", {.shapes = {{resize_shape}},
                                             .lower = lower_resize,
                                             .parts = pixels_with_weight,
                                             .idle_attributes = idle});
}

}  // namespace benanza::onnx
