#pragma once

#include <dnnl.hpp>

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "suites/onednn/api/implementation.h"

namespace benanza::onednn::api {

using Pooling = dnnl::pooling_v2_forward;
using Softmax = dnnl::softmax_v2_forward;
using PoolingGradient = dnnl::pooling_v2_backward;
using SoftmaxGradient = dnnl::softmax_v2_backward;

/// Which of version 3's arguments version 2 does not take: these operations have one format for
/// source and destination. Beyond all: it takes them as they are.
template <class Kind>
inline constexpr std::size_t left_out = 100;
template <>
inline constexpr std::size_t left_out<dnnl::eltwise_forward> = 3;
template <>
inline constexpr std::size_t left_out<dnnl::batch_normalization_forward> = 2;
template <>
inline constexpr std::size_t left_out<dnnl::layer_normalization_forward> = 2;
template <>
inline constexpr std::size_t left_out<dnnl::prelu_forward> = 3;
template <>
inline constexpr std::size_t left_out<dnnl::lrn_forward> = 3;
template <>
inline constexpr std::size_t left_out<dnnl::eltwise_backward> = 2;
template <>
inline constexpr std::size_t left_out<dnnl::batch_normalization_backward> = 2;
template <>
inline constexpr std::size_t left_out<dnnl::layer_normalization_backward> = 2;

/// Makes version 2's operation descriptor from version 3's arguments.
template <class Kind>
struct Operation {
  template <class... Arguments>
  static auto of(const Arguments&... arguments) {
    constexpr std::size_t without = left_out<Kind>;
    constexpr std::size_t count = sizeof...(Arguments) - (without < sizeof...(Arguments) ? 1 : 0);
    const auto all = std::tie(arguments...);
    return [&]<std::size_t... index>(std::index_sequence<index...>) {
      return typename Kind::desc(std::get<(index < without ? index : index + 1)>(all)...);
    }
    (std::make_index_sequence<count>());
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
  const auto made = forward_of<Kind>(engine, attributes, std::forward<Arguments>(arguments)...);
  return {made.descriptor, made.operation};
}

}  // namespace benanza::onednn::api
