#pragma once

#include <dnnl.hpp>

#include <memory>
#include <utility>

#include "suites/onednn/api/implementation.h"

namespace benanza::onednn::api {

using Pooling = dnnl::pooling_v2_forward;
using Softmax = dnnl::softmax_v2_forward;
using PoolingGradient = dnnl::pooling_v2_backward;
using SoftmaxGradient = dnnl::softmax_v2_backward;

/// Makes version 2's operation descriptor from version 3's arguments.
template <class Kind>
struct Operation {
  template <class... Arguments>
  static auto of(Arguments&&... arguments) {
    return typename Kind::desc(std::forward<Arguments>(arguments)...);
  }
};

// In version 2 these operations have one format for source and destination.
template <>
struct Operation<dnnl::eltwise_forward> {
  static auto of(dnnl::prop_kind kind, dnnl::algorithm function, const dnnl::memory::desc& source,
                 const dnnl::memory::desc&, float alpha, float beta) {
    return dnnl::eltwise_forward::desc(kind, function, source, alpha, beta);
  }
};

template <>
struct Operation<dnnl::batch_normalization_forward> {
  static auto of(dnnl::prop_kind kind, const dnnl::memory::desc& source, const dnnl::memory::desc&,
                 float epsilon, dnnl::normalization_flags flags) {
    return dnnl::batch_normalization_forward::desc(kind, source, epsilon, flags);
  }
};

template <>
struct Operation<dnnl::layer_normalization_forward> {
  static auto of(dnnl::prop_kind kind, const dnnl::memory::desc& source, const dnnl::memory::desc&,
                 float epsilon, dnnl::normalization_flags flags) {
    return dnnl::layer_normalization_forward::desc(kind, source, epsilon, flags);
  }
};

template <>
struct Operation<dnnl::prelu_forward> {
  static auto of(dnnl::prop_kind kind, const dnnl::memory::desc& source,
                 const dnnl::memory::desc& slope, const dnnl::memory::desc&) {
    return dnnl::prelu_forward::desc(kind, source, slope);
  }
};

template <>
struct Operation<dnnl::lrn_forward> {
  static auto of(dnnl::prop_kind kind, dnnl::algorithm algorithm, const dnnl::memory::desc& source,
                 const dnnl::memory::desc&, dnnl::memory::dim size, float alpha, float beta,
                 float k) {
    return dnnl::lrn_forward::desc(kind, algorithm, source, size, alpha, beta, k);
  }
};

template <>
struct Operation<dnnl::eltwise_backward> {
  static auto of(dnnl::algorithm function, const dnnl::memory::desc& gradient,
                 const dnnl::memory::desc&, const dnnl::memory::desc& kept, float alpha,
                 float beta) {
    return dnnl::eltwise_backward::desc(function, gradient, kept, alpha, beta);
  }
};

template <>
struct Operation<dnnl::batch_normalization_backward> {
  static auto of(dnnl::prop_kind kind, const dnnl::memory::desc& gradient,
                 const dnnl::memory::desc&, const dnnl::memory::desc& source, float epsilon,
                 dnnl::normalization_flags flags) {
    return dnnl::batch_normalization_backward::desc(kind, gradient, source, epsilon, flags);
  }
};

template <>
struct Operation<dnnl::layer_normalization_backward> {
  static auto of(dnnl::prop_kind kind, const dnnl::memory::desc& gradient,
                 const dnnl::memory::desc&, const dnnl::memory::desc& source, float epsilon,
                 dnnl::normalization_flags flags) {
    return dnnl::layer_normalization_backward::desc(kind, gradient, source, epsilon, flags);
  }
};

template <>
struct Operation<dnnl::lrn_backward> {
  static auto of(dnnl::algorithm algorithm, const dnnl::memory::desc& gradient,
                 const dnnl::memory::desc&, const dnnl::memory::desc& source,
                 dnnl::memory::dim size, float alpha, float beta, float k) {
    return dnnl::lrn_backward::desc(algorithm, source, gradient, size, alpha, beta, k);
  }
};

/// Version 2's gradient of batch normalization requires the shift without using it.
inline constexpr bool gradient_takes_shift = true;

/// A forward call's descriptor, and the operation descriptor that version 2 keeps reading.
template <class Kind>
struct Forward {
  std::shared_ptr<const typename Kind::desc> operation;
  typename Kind::primitive_desc descriptor;
};

template <class Kind, class... Arguments>
Forward<Kind> forward_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                         Arguments&&... arguments) {
  const auto kept = std::make_shared<const typename Kind::desc>(
      Operation<Kind>::of(std::forward<Arguments>(arguments)...));
  return {kept, typename Kind::primitive_desc(*kept, attributes, engine)};
}

template <class Kind, class Of, class... Arguments>
Implementation gradient_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                           const Forward<Of>& forward, Arguments&&... arguments) {
  struct Kept {
    Forward<Of> forward;
    typename Kind::desc operation;
  };
  const auto kept = std::make_shared<const Kept>(
      Kept{forward, Operation<Kind>::of(std::forward<Arguments>(arguments)...)});
  return {
      typename Kind::primitive_desc(kept->operation, attributes, engine, kept->forward.descriptor),
      kept};
}

template <class Kind, class... Arguments>
Implementation implementation_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                 Arguments&&... arguments) {
  const auto kept = std::make_shared<const typename Kind::desc>(
      Operation<Kind>::of(std::forward<Arguments>(arguments)...));
  return {typename Kind::primitive_desc(*kept, attributes, engine), kept};
}

}  // namespace benanza::onednn::api
