#pragma once

#include <cudnn.h>

#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/ops/pooling.h"
#include "suites/cudnn/primitive/padding.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// The library's own padding: the begin pads. Where the end pads differ, the result has more (or
/// fewer) rows than the library would compute itself, and windows reach beyond the input's end.
inline constexpr std::string_view pooling_direct = "direct";
/// An explicitly padded copy of the input, its copying included.
inline constexpr std::string_view pooling_padded_input = "padded_input";

struct PoolingCall {
  nvidia::TensorFormat input;
  std::optional<PaddedShape> padded;
  nvidia::TensorFormat output;
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  Dims kernel;
  Dims pads;
  Dims strides;
  /// Value of the explicit padding: lowest for max, 0 for an average that counts it.
  float border = 0;

  const nvidia::TensorFormat& read_by_library() const { return padded ? padded->whole : input; }
};

/// Throws Unsupported for a dilated window.
PoolingCall map_pooling(const Pooling& shape, Precision precision, Layout layout,
                        std::string_view algorithm);

/// direct alone where one pad per axis does; with unequal pads padded_input as well, but for an
/// average that must not count the padding. An average that counts it is padded_input alone: the
/// library's divisor beyond the input's end is not documented.
std::vector<harness::Algorithm> pooling_algorithms(const Pooling& shape);

}  // namespace benanza::cudnn
