#pragma once

#include <string>

#include "models/zoo/builder.h"

namespace benanza::zoo {

/// Names layers as MXNet's symbols do: node and output have the name that the model's author gave;
/// weights are named after their layer, NAME_weight or NAME_gamma.
class Mxnet {
 public:
  /// `builder` must outlive this.
  explicit Mxnet(ModelBuilder& builder) : model_(builder) {}

  Tensor conv(const std::string& name, const Tensor& x, const Conv& conv, bool bias = false);
  Tensor batch_norm(const std::string& name, const Tensor& x, const BatchNorm& parameters);
  Tensor dense(const std::string& name, const Tensor& x, std::int64_t units);

 private:
  ModelBuilder& model_;
};

}  // namespace benanza::zoo
