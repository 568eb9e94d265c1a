#pragma once

#include <dnnl.hpp>

#include <memory>
#include <utility>

#include "suites/onednn/api/implementation.h"

namespace benanza::onednn::api {

using Pooling = dnnl::pooling_forward;
using Softmax = dnnl::softmax_forward;
using PoolingGradient = dnnl::pooling_backward;
using SoftmaxGradient = dnnl::softmax_backward;

/// Version 2's gradient of batch normalization requires the shift.
inline constexpr bool gradient_takes_shift = false;

/// A forward call's descriptor.
template <class Kind>
struct Forward {
  typename Kind::primitive_desc descriptor;
};

template <class Kind, class... Arguments>
Forward<Kind> forward_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                         Arguments&&... arguments) {
  return {typename Kind::primitive_desc(engine, std::forward<Arguments>(arguments)..., attributes)};
}

/// Keeps the forward call's descriptor, because next_impl() reads it again.
template <class Kind, class Of, class... Arguments>
Implementation gradient_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                           const Forward<Of>& forward, Arguments&&... arguments) {
  const auto kept = std::make_shared<const Forward<Of>>(forward);
  return {typename Kind::primitive_desc(engine, std::forward<Arguments>(arguments)...,
                                        kept->descriptor, attributes),
          kept};
}

template <class Kind, class... Arguments>
Implementation implementation_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                 Arguments&&... arguments) {
  return {typename Kind::primitive_desc(engine, std::forward<Arguments>(arguments)..., attributes),
          nullptr};
}

}  // namespace benanza::onednn::api
