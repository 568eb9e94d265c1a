#pragma once

#include "generator/onnx/site.h"

namespace benanza::onnx {

/// What Resize (every opset) and Upsample ask for, one value for every axis of the input.
struct ResizeRequest {
  Dims output;
  /// output extent / input extent, as the coordinates are computed with it.
  std::vector<double> scales;
};

/// Throws NotExpressible where neither sizes nor scales are known before the model runs, Error
/// where they do not fit the input.
ResizeRequest resize_request(const Site& site);

/// Where output pixel `o` of `axis` lies in the input, by the operator's coordinates, in pixels.
/// Throws NotExpressible for coordinates of a region (tf_crop_and_resize).
double source_coordinate(const Site& site, const ResizeRequest& request, std::size_t axis,
                         std::int64_t o);

/// The pixel that mode "nearest" takes for a coordinate.
std::int64_t nearest_pixel(const Site& site, double coordinate, std::int64_t extent);

}  // namespace benanza::onnx
