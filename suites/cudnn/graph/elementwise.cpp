#include "suites/cudnn/graph/elementwise.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/problem/ops/copy.h"
#include "core/problem/text.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

nvidia::TensorFormat innermost_as_channels(Precision precision, Dims dims) {
  constexpr std::size_t least_axes = 4;
  Dims ordered{1, 1};
  if (!dims.empty()) {
    ordered[1] = dims.back();
    dims.pop_back();
  }
  if (!dims.empty()) {
    ordered[0] = dims.front();
    ordered.insert(ordered.end(), dims.begin() + 1, dims.end());
  }
  while (ordered.size() < least_axes) ordered.push_back(1);
  return nvidia::tensor_format(precision, ordered, Layout::nhwc);
}

Dims as_matrix(std::int64_t count) {
  constexpr std::int64_t widest = 128;
  constexpr std::int64_t tile = 64;
  constexpr std::int64_t most_tiles = 65'535;
  std::int64_t columns = std::gcd(count, widest);
  if (columns < tile) {
    for (columns = widest; count % columns != 0;) --columns;
  }
  if (columns == 1 && count <= most_tiles * tile) return {1, count};
  return {count / columns, columns};
}

namespace {

/// Of several rows: with 524,288 the library starts more blocks than a device takes (9.19, H100).
constexpr std::int64_t most_columns = 262'144;

/// merge_axes(), in the form in which the library's kernels are fast, or work at all.
std::vector<Dims> merged(const std::vector<Dims>& tensors) {
  std::vector<Dims> found = merge_axes(tensors);
  // A single axis becomes rows and columns, for the library's kernels.
  if (found.back().size() == 1) {
    const Dims matrix = as_matrix(found.back().front());
    for (Dims& dims : found) dims = dims.front() == 1 ? Dims{1, 1} : matrix;
  } else if (!found.back().empty() && found.back().back() > most_columns) {
    const Dims matrix = as_matrix(found.back().back());
    for (Dims& dims : found) {
      const Dims last = dims.back() == 1 ? Dims{1, 1} : matrix;
      dims.pop_back();
      dims.insert(dims.end(), last.begin(), last.end());
    }
  }
  return found;
}

bool lack_only_the_middle(const std::vector<Dims>& tensors) {
  const Dims& result = tensors.back();
  if (result.size() != 3) return false;
  return std::all_of(tensors.begin(), tensors.end(), [&](const Dims& dims) {
    return dims == result || dims == Dims{result[0], 1, result[2]} || dims == Dims{1, 1, 1};
  });
}

}  // namespace

std::vector<nvidia::TensorFormat> merged_formats(const std::vector<Precision>& precisions,
                                                 std::vector<Dims> tensors) {
  tensors = merged(tensors);
  const bool row_major = lack_only_the_middle(tensors);
  std::vector<nvidia::TensorFormat> found;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    found.push_back(row_major ? nvidia::tensor_format(precisions[i], tensors[i], Layout::plain)
                              : innermost_as_channels(precisions[i], tensors[i]));
  }
  return found;
}

namespace {

/// Axes of tensors that broadcast together, with a stride for each tensor.
struct StridedAxis {
  Dims extents;
  Dims strides;

  /// Followed by `inner`, it is one axis of every tensor.
  bool continues_in(const StridedAxis& inner) const {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const bool repeats = extents[i] == 1 && extents.back() != 1;
      const bool inner_repeats = inner.extents[i] == 1 && inner.extents.back() != 1;
      if (repeats != inner_repeats) return false;
      if (!repeats && strides[i] != inner.strides[i] * inner.extents[i]) return false;
    }
    return true;
  }
};

std::vector<StridedAxis> merged_axes(const std::vector<Dims>& tensors,
                                     const std::vector<Dims>& strides) {
  std::vector<StridedAxis> axes;
  for (std::size_t axis = 0; axis < tensors.back().size(); ++axis) {
    if (tensors.back()[axis] == 1) continue;
    StridedAxis one;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      one.extents.push_back(tensors[i][axis]);
      one.strides.push_back(strides[i][axis]);
    }
    if (!axes.empty() && axes.back().continues_in(one)) {
      for (std::size_t i = 0; i < tensors.size(); ++i) one.extents[i] *= axes.back().extents[i];
      axes.back() = std::move(one);
    } else {
      axes.push_back(std::move(one));
    }
  }
  return axes;
}

}  // namespace

std::vector<nvidia::TensorFormat> strided_formats(const std::vector<Precision>& precisions,
                                                  const std::vector<Dims>& tensors,
                                                  std::vector<Dims> strides) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].size() != tensors.back().size()) {
      throw harness::Unsupported("strides of tensors of different ranks");
    }
    if (strides[i].empty()) strides[i] = dense_strides(tensors[i]);
  }
  const std::vector<StridedAxis> axes = merged_axes(tensors, strides);
  if (axes.empty() || axes.size() > most_strided_axes) {
    throw harness::Unsupported("strides of " + std::to_string(axes.size()) + " axes");
  }
  constexpr std::size_t least_axes = 3;
  std::vector<nvidia::TensorFormat> found;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    nvidia::TensorFormat& one = found.emplace_back();
    one.precision = precisions[i];
    for (const StridedAxis& axis : axes) {
      one.dims.push_back(axis.extents[i]);
      one.strides.push_back(axis.strides[i]);
    }
    while (one.dims.size() < least_axes) {
      one.strides.insert(one.strides.begin(), one.strides.front() * one.dims.front());
      one.dims.insert(one.dims.begin(), 1);
    }
  }
  return found;
}

std::vector<std::int64_t> identity_widths(std::int64_t count) {
  std::vector<std::int64_t> widths;
  for (const std::int64_t width : {32, 64, 128}) {
    if (count % width == 0) widths.push_back(width);
  }
  return widths;
}

nvidia::TensorFormat rows_of(Precision precision, std::int64_t count, std::int64_t width) {
  return {precision, {1, count / width, width}, {count, width, 1}};
}

void identity_product(OperationGraph& graph, const nvidia::TensorFormat& rows, OperationGraph::Id x,
                      OperationGraph::Id factors, OperationGraph::Id y) {
  const std::int64_t width = rows.dims.back();
  const Precision precision = rows.precision;
  const auto side = static_cast<std::size_t>(width);
  std::vector<float> identity(side * side, 0);
  for (std::size_t place = 0; place < side; ++place) identity[place * (side + 1)] = 1;
  const OperationGraph::Id ones = graph.repeated(
      {precision, {1, width, width}, {width * width, width, 1}}, std::move(identity));
  const OperationGraph::Id product = graph.intermediate(rows);
  graph.multiply(x, ones, product);
  graph.pointwise({CUDNN_POINTWISE_MUL}, product, factors, y);
}

}  // namespace benanza::cudnn
