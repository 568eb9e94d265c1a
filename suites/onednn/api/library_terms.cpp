#include "suites/onednn/api/library_terms.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/lookup.h"
#include "suites/harness/primitive.h"

namespace benanza::onednn {

namespace {

/// Functions without parameters.
constexpr std::pair<ActivationKind, Eltwise> eltwise_functions[] = {
    {ActivationKind::relu, {dnnl::algorithm::eltwise_relu}},
    {ActivationKind::sigmoid, {dnnl::algorithm::eltwise_logistic}},
    {ActivationKind::tanh, {dnnl::algorithm::eltwise_tanh}},
    {ActivationKind::gelu, {dnnl::algorithm::eltwise_gelu_erf}},
    {ActivationKind::gelu_tanh, {dnnl::algorithm::eltwise_gelu_tanh}},
    {ActivationKind::hard_swish, {dnnl::algorithm::eltwise_hardswish, 1.0F / 6, 0.5F}},
    {ActivationKind::softplus, {dnnl::algorithm::eltwise_soft_relu, 1}},
    {ActivationKind::mish, {dnnl::algorithm::eltwise_mish}},
    {ActivationKind::exp, {dnnl::algorithm::eltwise_exp}},
    {ActivationKind::log, {dnnl::algorithm::eltwise_log}},
    {ActivationKind::sqrt, {dnnl::algorithm::eltwise_sqrt}},
    {ActivationKind::abs, {dnnl::algorithm::eltwise_abs}},
    {ActivationKind::round, {dnnl::algorithm::eltwise_round}}};

}  // namespace

Eltwise eltwise(const Activation& shape) {
  if (const auto found = found_in(eltwise_functions, shape.kind)) return *found;
  using enum dnnl::algorithm;
  switch (shape.kind) {
    case ActivationKind::leaky_relu:
      return {eltwise_relu, shape.alpha};
    case ActivationKind::clip:
      return {eltwise_clip, shape.alpha, shape.beta};
    case ActivationKind::elu:
      return {eltwise_elu, shape.alpha};
    case ActivationKind::linear:
      return {eltwise_linear, shape.alpha, shape.beta};
    case ActivationKind::swish:
      return {eltwise_swish, shape.alpha};
    case ActivationKind::pow:
      return {eltwise_pow, 1, shape.alpha};
    default:
      throw harness::Unsupported("oneDNN has no " + std::string(shape.op()));
  }
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
