#pragma once

#include <cudnn.h>

#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/ops/pooling.h"
#include "core/problem/ops/pooling_gradient.h"
#include "suites/cudnn/primitive/convolution_call.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

struct PoolingWay {
  std::string_view name;
  /// Reads an explicitly padded copy of the input, made as part of the call.
  bool pads_input = false;
  /// A gradient's sums have a fixed order.
  bool deterministic = false;
};
/// Uses the library's own padding, with the begin pads. If the end pads differ, the result has more
/// (or fewer) rows than the library would compute by itself, and windows extend beyond the input's
/// end.
inline constexpr PoolingWay pooling_direct{.name = "direct"};
inline constexpr PoolingWay pooling_padded_input{.name = "padded_input", .pads_input = true};

struct PoolingCall {
  nvidia::TensorFormat input;
  std::optional<PaddedShape> padded;
  nvidia::TensorFormat output;
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  Dims kernel;
  Dims pads;
  Dims strides;
  /// The value of the explicit padding: lowest for max, 0 for an average that counts padding.
  float border = 0;

  const nvidia::TensorFormat& read_by_library() const { return padded ? padded->whole : input; }
};

/// Throws Unsupported for a dilated window.
PoolingCall map_pooling(const Pooling& shape, Precision precision, Layout layout,
                        const PoolingWay& way);

/// Returns only direct if one pad per axis is sufficient. With unequal pads adds padded_input,
/// except for an average that must not count the padding; an average that counts it has
/// padded_input only, because the library's divisor beyond the input's end is undocumented.
std::vector<PoolingWay> pooling_ways(const Pooling& shape);

/// Returns the pooling's ways; for max each also with the suffix ".deterministic", the library's
/// mode that adds in a fixed order. Throws Unsupported at int8.
std::vector<PoolingWay> pooling_gradient_ways(const PoolingGradient& shape, Precision precision);

/// The forward call of the gradient; `padded` describes both the input and its gradient. Throws
/// what map_pooling() throws.
PoolingCall map_pooling_gradient(const PoolingGradient& shape, Precision precision, Layout layout,
                                 const PoolingWay& way);

}  // namespace benanza::cudnn
