#include "generator/onnx/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

struct Stated {
  std::optional<std::vector<double>> scales;
  std::optional<Dims> sizes;
};

std::vector<double> reals(const Site& site, std::size_t index) {
  return std::visit(
      [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
      site.literal(index));
}

Stated stated(const Site& site) {
  const Node& node = site.node();
  Stated found;
  if (node.op_type() == "Upsample" || node.opset() < 11) {
    if (node.opset() < 7) {
      found.scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
      return found;
    }
    const auto attribute = node.reals("scales");
    found.scales =
        attribute ? std::vector<double>(attribute->begin(), attribute->end()) : reals(site, 1);
    return found;
  }
  // An empty tensor stands for one that is left out.
  if (site.has_input(2)) found.scales = reals(site, 2);
  if (found.scales && found.scales->empty()) found.scales.reset();
  if (site.has_input(3)) found.sizes = site.integers(3);
  if (found.sizes && found.sizes->empty()) found.sizes.reset();
  if (found.scales.has_value() == found.sizes.has_value()) {
    throw Error("needs either scales or sizes");
  }
  return found;
}

Dims stated_axes(const Site& site, std::size_t count) {
  const std::size_t rank = site.shape(0).size();
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto some = site.node().integers("axes"); some && site.node().opset() >= 18) {
    axes = *some;
    for (std::int64_t& axis : axes) axis = Site::axis(axis, rank);
  }
  if (count != axes.size()) {
    throw Error("has " + std::to_string(count) + " scales or sizes for " +
                std::to_string(axes.size()) + " axes");
  }
  return axes;
}

}  // namespace

ResizeRequest resize_request(const Site& site) {
  const Dims& input = site.shape(0);
  const Stated wanted = stated(site);
  const Dims axes = stated_axes(site, wanted.scales ? wanted.scales->size() : wanted.sizes->size());
  ResizeRequest request{input, std::vector<double>(input.size(), 1)};
  const std::string policy = site.node().text("keep_aspect_ratio_policy", "stretch");
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
      // In single precision, as the standard's own inference.
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

double source_coordinate(const Site& site, const ResizeRequest& request, std::size_t axis,
                         std::int64_t o) {
  const auto at = static_cast<double>(o);
  const double scale = request.scales[axis];
  const auto in = static_cast<double>(site.shape(0)[axis]);
  const auto out = static_cast<double>(request.output[axis]);
  // Upsample, and Resize before opset 11, have no choice.
  const bool fixed = site.node().op_type() == "Upsample" || site.node().opset() < 11;
  const std::string mode =
      fixed ? "asymmetric" : site.node().text("coordinate_transformation_mode", "half_pixel");
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

std::int64_t nearest_pixel(const Site& site, double coordinate, std::int64_t extent) {
  const bool fixed = site.node().op_type() == "Upsample" || site.node().opset() < 11;
  const std::string mode = fixed ? "floor" : site.node().text("nearest_mode", "round_prefer_floor");
  double pixel = std::ceil(coordinate - 0.5);
  if (mode == "round_prefer_ceil") pixel = std::floor(coordinate + 0.5);
  if (mode == "floor") pixel = std::floor(coordinate);
  if (mode == "ceil") pixel = std::ceil(coordinate);
  return static_cast<std::int64_t>(std::clamp(pixel, 0.0, static_cast<double>(extent - 1)));
}

}  // namespace benanza::onnx
