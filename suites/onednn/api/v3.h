#pragma once

#include <dnnl.hpp>

#include <utility>

#include "suites/onednn/api/implementation.h"

namespace benanza::onednn::api {

using Pooling = dnnl::pooling_forward;
using Softmax = dnnl::softmax_forward;

template <class Kind, class... Arguments>
Implementation implementation_of(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                 Arguments&&... arguments) {
  return {typename Kind::primitive_desc(engine, std::forward<Arguments>(arguments)..., attributes),
          nullptr};
}

}  // namespace benanza::onednn::api
