#pragma once

#include <dnnl.hpp>

#include <string_view>
#include <vector>

#include "core/problem/text.h"

/// Everything that differs between versions 2 and 3 of the library. The backend is written against
/// version 3's API, which v2.h emulates with version 2's calls.
namespace benanza::onednn {

using Memory = dnnl::memory;

/// An argument that has the same values in every call.
struct Constant {
  int id = 0;  // DNNL_ARG_*
  std::vector<float> values;
};

namespace api {

/// A tensor's strides and blocks: blocks.at(i) elements of axis blocked_axes.at(i) are contiguous.
struct Blocking {
  Dims strides;
  Dims blocks;
  Dims blocked_axes;
};

Dims dims(const Memory::desc& format);
Memory::data_type data_type(const Memory::desc& format);
/// Whether it has strides and blocks; weights may be packed otherwise.
bool is_blocked(const Memory::desc& format);
/// Only if it is blocked.
Blocking blocking(const Memory::desc& format);

/// The name of an instruction set that only this version has; empty for all others.
std::string_view own_isa_name(dnnl::cpu_isa isa);

void append_eltwise(dnnl::post_ops& operations, dnnl::algorithm function, float alpha, float beta);

dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const Memory::desc& result,
                                    int axis, const std::vector<Memory::desc>& sources,
                                    const dnnl::primitive_attr& attributes);

/// The sum of `sources`, each multiplied by its factor.
dnnl::sum::primitive_desc sum(const dnnl::engine& engine, const Memory::desc& result,
                              const std::vector<float>& factors,
                              const std::vector<Memory::desc>& sources,
                              const dnnl::primitive_attr& attributes);

/// What a scaled product needs besides its attributes.
struct Scaling {
  std::vector<Constant> constants;
  /// The product's bias must be passed multiplied by this factor.
  float bias_factor = 1;
};

/// Multiplies a product and its bias by `scale`, before the post-ops.
Scaling scale_product(dnnl::primitive_attr& attributes, float scale);

/// Multiplies a reorder's values by `scale`, which is passed `count` times: once or, with a bit of
/// `mask` set, for every element of that axis.
std::vector<Constant> scale_reorder(dnnl::primitive_attr& attributes, int mask, std::size_t count,
                                    float scale);

}  // namespace api
}  // namespace benanza::onednn

// Both headers define Pooling, Softmax, PoolingGradient, SoftmaxGradient, and
//   template <class Kind> Implementation implementation_of(
//       engine, attributes, arguments of version 3's Kind::primitive_desc between engine and
//       attributes)
//   template <class Kind> Forward<Kind> forward_of(the same)
//       for the forward call of a gradient
//   template <class Kind, class Of> Implementation gradient_of(engine, attributes, Forward<Of>,
//       arguments between engine and the forward call's descriptor)
#if DNNL_VERSION_MAJOR >= 3
#include "suites/onednn/api/v3.h"
#else
#include "suites/onednn/api/v2.h"
#endif
