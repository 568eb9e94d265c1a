#pragma once

#include <optional>

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

/// A strided view of a dense tensor: element i0, i1, ... lies at offset + sum(i * strides).
struct View {
  Dims dims;
  Dims strides;
  std::int64_t offset = 0;
};

/// Flat positions of a view's elements, row-major.
std::vector<std::int64_t> positions(const View& view);

/// `dims`, dense, repeated to `target` as ONNX broadcasting does. Throws Error if it does not fit.
View broadcast_view(const Dims& dims, const Dims& target);

/// The whole of a dense tensor.
View dense_view(const Dims& dims);

/// Elements of `literal` at flat positions.
Literal pick(const Literal& literal, const std::vector<std::int64_t>& from);

/// 0, 1, ... rank - 1.
Dims all_axes(std::size_t rank);

/// A place that is known not to be negative.
inline std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace benanza::onnx
