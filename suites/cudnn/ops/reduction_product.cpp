#include "suites/cudnn/ops/reduction_product.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// Dense matrices.
nvidia::TensorFormat matrices(Precision precision, std::int64_t batch, std::int64_t rows,
                              std::int64_t columns) {
  return {precision, {batch, rows, columns}, {rows * columns, columns, 1}};
}

}  // namespace

std::vector<GraphCall> reduction_graphs(const Reduction& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  if (element_bytes(precision) == 1) throw harness::Unsupported("cuDNN reduces no 8 bits");
  if (variant.problem.epilogue != Epilogue{}) {
    throw harness::Unsupported("a reduction as a product ends with its root or its scale");
  }
  const bool squares = shape.kind == ReductionKind::l2 || shape.kind == ReductionKind::sum_square;
  const bool magnitudes = shape.kind == ReductionKind::l1;
  const bool is_sum = shape.kind == ReductionKind::sum || shape.kind == ReductionKind::mean;
  if (!squares && !magnitudes && !is_sum) {
    throw harness::Unsupported("a product with ones is a sum: this reduction is none");
  }
  const auto extents = shape.adjacent(variant.layout == Layout::nhwc);
  if (!extents) throw harness::Unsupported("the reduced axes lie apart in memory");
  const auto [outer, length, inner] = *extents;
  // Rows are multiplied from the right by a column of ones, columns from the left by a row. A
  // matrix of ones for every batch: engines that compute something first do not repeat one.
  const bool of_rows = inner == 1;
  const std::int64_t batch = of_rows ? 1 : outer;
  const nvidia::TensorFormat data =
      of_rows ? matrices(precision, 1, outer, length) : matrices(precision, outer, length, inner);
  const nvidia::TensorFormat result =
      of_rows ? matrices(precision, 1, outer, 1) : matrices(precision, outer, 1, inner);

  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.prefix = "product.";
  call.inputs = dense_inputs(variant);
  call.output = dense_output(variant);
  OperationGraph& graph = call.graph();
  const Id x = graph.tensor(data);
  const Id y = graph.tensor(result);
  call.bound = {x, y};
  const Id ones = graph.filled(
      of_rows ? matrices(precision, batch, length, 1) : matrices(precision, batch, 1, length), 1);
  Id terms = x;
  if (!is_sum) {
    terms = graph.intermediate(data, storage_type(precision));
    if (squares) graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, x, x, terms);
    if (magnitudes) graph.pointwise({.mode = CUDNN_POINTWISE_ABS}, x, OperationGraph::none, terms);
  }
  const bool is_root = shape.kind == ReductionKind::l2;
  const bool is_mean = shape.kind == ReductionKind::mean;
  const Id sum = is_root || is_mean ? graph.intermediate(result) : y;
  of_rows ? graph.multiply(terms, ones, sum) : graph.multiply(ones, terms, sum);
  if (is_root) graph.pointwise({.mode = CUDNN_POINTWISE_SQRT}, sum, OperationGraph::none, y);
  if (is_mean) {
    const Id scale = graph.scalar(1 / static_cast<float>(length), 3);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, sum, scale, y);
  }
  return found;
}

void register_reduction_product(WayTable& table) {
  table.add(engines_of<Reduction>([](const Reduction& shape) { return image_layouts(shape.input); },
                                  reduction_graphs));
}

}  // namespace benanza::cudnn
