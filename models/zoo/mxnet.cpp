#include "models/zoo/mxnet.h"

namespace benanza::zoo {

Tensor Mxnet::conv(const std::string& name, const Tensor& x, const Conv& conv, bool bias) {
  LinearWeights weights{.kernel = name + "_weight", .bias = std::nullopt};
  if (bias) {
    weights.bias = name + "_bias";
  }
  return model_.conv(name, x, conv, weights);
}

Tensor Mxnet::batch_norm(const std::string& name, const Tensor& x, const BatchNorm& parameters) {
  return model_.batch_norm(name, x,
                           {.scale = name + "_gamma",
                            .bias = name + "_beta",
                            .mean = name + "_moving_mean",
                            .variance = name + "_moving_var"},
                           parameters);
}

Tensor Mxnet::dense(const std::string& name, const Tensor& x, std::int64_t units) {
  return model_.gemm(name, x, units, {.kernel = name + "_weight", .bias = name + "_bias"});
}

}  // namespace benanza::zoo
