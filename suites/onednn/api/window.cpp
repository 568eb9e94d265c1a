#include "suites/onednn/api/window.h"

#include <stdexcept>

namespace benanza::onednn {

Dims weight_dims(const Convolution& shape) {
  Dims dims{shape.filters / shape.groups, shape.input[1] / shape.groups};
  dims.insert(dims.end(), shape.window.kernel.begin(), shape.window.kernel.end());
  if (shape.groups > 1) dims.insert(dims.begin(), shape.groups);
  return dims;
}

dnnl::algorithm pooling_algorithm(PoolingMode mode) {
  switch (mode) {
    case PoolingMode::max:
      return dnnl::algorithm::pooling_max;
    case PoolingMode::average_include_pad:
      return dnnl::algorithm::pooling_avg_include_padding;
    case PoolingMode::average_exclude_pad:
      return dnnl::algorithm::pooling_avg_exclude_padding;
  }
  throw std::logic_error("unknown pooling mode");
}

}  // namespace benanza::onednn
