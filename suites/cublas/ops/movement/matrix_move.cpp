#include "suites/cublas/ops/movement/matrix_move.h"

#include <algorithm>
#include <optional>

#include "suites/harness/primitive.h"

namespace benanza::cublas {
namespace {

/// The axis with contiguous elements.
std::size_t dense_axis(const Dims& strides) {
  const auto found = std::ranges::find(strides, 1);
  if (found == strides.end()) {
    throw harness::Unsupported("cuBLAS moves matrices: here every element lies apart");
  }
  return static_cast<std::size_t>(found - strides.begin());
}

}  // namespace

MatrixMove matrix_move(const Copy& shape) {
  const Copy copy = shape.canonical();
  const std::size_t axes = copy.dims.size();
  if (axes < 2 || axes > 3) {
    throw harness::Unsupported("cuBLAS moves matrices: this is no batch of them");
  }
  const std::size_t dense_from = dense_axis(copy.from);
  const std::size_t dense_to = dense_axis(copy.to);
  // The remaining axis, besides rows and columns, is the batch.
  std::size_t columns = dense_to;
  if (dense_from == dense_to) {
    columns = dense_from == 0 ? 1 : 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (axis != dense_from && copy.dims[axis] > copy.dims[columns]) columns = axis;
    }
  }
  std::optional<std::size_t> batch;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (axis != dense_from && axis != columns) batch = axis;
  }
  MatrixMove move{.source = {.rows = copy.dims[dense_from],
                             .columns = copy.dims[columns],
                             .ld = copy.from[columns],
                             .stride = batch ? copy.from[*batch] : 0},
                  .result = {.rows = copy.dims[dense_from],
                             .columns = copy.dims[columns],
                             .ld = copy.to[columns],
                             .stride = batch ? copy.to[*batch] : 0},
                  .transposed = dense_from != dense_to,
                  .batches = batch ? copy.dims[*batch] : 1};
  if (move.transposed) {
    std::swap(move.result.rows, move.result.columns);
    move.result.ld = copy.to[dense_from];
  }
  if (move.source.ld < move.source.rows || move.result.ld < move.result.rows) {
    throw harness::Unsupported("cuBLAS moves matrices: columns overlap here");
  }
  return move;
}

}  // namespace benanza::cublas
