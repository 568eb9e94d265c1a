#pragma once

#include <optional>

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// A strided view of a dense tensor: element i0, i1, ... is at offset + sum(i * strides).
struct View {
  Dims dims;
  Dims strides;
  std::int64_t offset = 0;
};

/// Flat positions of a view's elements, in row-major order.
std::vector<std::int64_t> positions(const View& view);

/// `dims`, dense, broadcast to `target` by the rules of ONNX. Throws Error if it does not fit.
View broadcast_view(const Dims& dims, const Dims& target);

/// All of a dense tensor.
View dense_view(const Dims& dims);

/// The elements of `literal` at flat positions `from`.
Literal pick(const Literal& literal, const std::vector<std::int64_t>& from);

/// 0, 1, ... rank - 1.
Dims all_axes(std::size_t rank);

/// `value`, which must not be negative, as an index.
inline std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace benanza::onnx
