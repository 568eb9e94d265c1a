#pragma once

#include "onnx/site.h"

namespace benanza {

/// What Resize (every opset) and Upsample ask for, one value for every axis of the input.
struct ResizeRequest {
  Dims output;
  /// output extent / input extent, as the coordinates are computed with it.
  std::vector<double> scales;
};

/// Throws NotExpressible where neither sizes nor scales are known before the model runs, Error
/// where they do not fit the input.
ResizeRequest resize_request(const Site& site);

}  // namespace benanza
