#include "suites/cudnn/graph/identity_product.h"

#include <cstddef>

#include "suites/cudnn/api/descriptors.h"

namespace benanza::cudnn {

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
