#pragma once

#include <string>

#include "models/zoo/builder.h"

namespace benanza::zoo {

/// Names layers as CNTK's exporter does: the kind and a number, which the caller gives. A bias is a
/// layer, two numbers after the layer it belongs to. Weights are numbered, too.
class Cntk {
 public:
  /// `builder` must outlive this.
  explicit Cntk(ModelBuilder& builder) : model_(builder) {}

  /// Convolution `number` with Parameter `parameter`, then its bias (the next parameter) and Relu.
  Tensor conv_relu(int number, int parameter, const Tensor& x, const Conv& conv);
  Tensor relu(int number, const Tensor& x) { return model_.relu(named("ReLU", number), x); }
  Tensor max_pool(int number, const Tensor& x, const Window& window);
  Tensor dropout(int number, const Tensor& x, float ratio);
  /// A difference or quotient with a scalar Constant.
  Tensor minus(int number, const Tensor& x, int constant);
  Tensor over(int number, const Tensor& x, int constant);
  /// Adds Parameter `parameter`, which has the given extents.
  Tensor plus(int number, const Tensor& x, int parameter, const Dims& dims);

  /// Kernel of matrix product `number`, stored as image x units and reshaped to features x units.
  Tensor image_kernel(int number, int parameter, const Dims& image, std::int64_t units);
  Tensor kernel(int parameter, std::int64_t features, std::int64_t units);
  /// Matrix product; an image is reshaped to batch x features first.
  Tensor times(int number, const Tensor& x, const Tensor& kernel);

 private:
  static LayerName named(const std::string& kind, int number);

  ModelBuilder& model_;
};

}  // namespace benanza::zoo
