#include "suites/onednn/api/library_terms.h"

#include <stdexcept>
#include <string>

#include "suites/harness/primitive.h"

namespace benanza::onednn {

Eltwise eltwise(const Activation& shape) {
  using enum dnnl::algorithm;
  switch (shape.kind) {
    case ActivationKind::relu:
      return {eltwise_relu};
    case ActivationKind::leaky_relu:
      return {eltwise_relu, shape.alpha};
    case ActivationKind::clip:
      return {eltwise_clip, shape.alpha, shape.beta};
    case ActivationKind::elu:
      return {eltwise_elu, shape.alpha};
    case ActivationKind::sigmoid:
      return {eltwise_logistic};
    case ActivationKind::tanh:
      return {eltwise_tanh};
    case ActivationKind::linear:
      return {eltwise_linear, shape.alpha, shape.beta};
    case ActivationKind::gelu:
      return {eltwise_gelu_erf};
    case ActivationKind::gelu_tanh:
      return {eltwise_gelu_tanh};
    case ActivationKind::hard_swish:
      return {eltwise_hardswish, 1.0F / 6, 0.5F};
    case ActivationKind::softplus:
      return {eltwise_soft_relu, 1};
    case ActivationKind::mish:
      return {eltwise_mish};
    case ActivationKind::swish:
      return {eltwise_swish, shape.alpha};
    case ActivationKind::exp:
      return {eltwise_exp};
    case ActivationKind::log:
      return {eltwise_log};
    case ActivationKind::sqrt:
      return {eltwise_sqrt};
    case ActivationKind::pow:
      return {eltwise_pow, 1, shape.alpha};
    case ActivationKind::abs:
      return {eltwise_abs};
    case ActivationKind::round:
      return {eltwise_round};
    case ActivationKind::erf:
    case ActivationKind::softsign:
    case ActivationKind::floor:
    case ActivationKind::ceil:
    case ActivationKind::sign:
    case ActivationKind::sin:
    case ActivationKind::cos:
      break;
  }
  throw harness::Unsupported("oneDNN has no " + std::string(shape.op()));
}

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
