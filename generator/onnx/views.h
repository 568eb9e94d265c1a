#pragma once

#include <optional>

#include "generator/onnx/site.h"

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

/// What Slice keeps of its input, in every opset. Strides may be negative.
View slice_view(const Site& slice);

/// The input of Transpose in the order of its output.
View transpose_view(const Site& transpose);

/// What goes to output `index` of Split. Needs the shapes of all outputs.
View split_view(const Site& split, std::size_t index);

/// Axes that a Reduce operator reduces, ascending; empty if it reduces none.
Dims reduced_axes(const Site& reduce);

/// Pads of Pad in every opset: begins, then ends, of all axes. Negative pads cut.
Dims pads_of_all_axes(const Site& pad);

}  // namespace benanza::onnx
