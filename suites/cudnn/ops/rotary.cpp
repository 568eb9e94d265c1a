#include "suites/cudnn/ops/rotary.h"

#include <numeric>

#include "suites/cudnn/ways.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// The rows in two axes; along each, a table has one entry per row or one for all.
struct RotaryRows {
  Dims input{1, 1};
  Dims table{1, 1};
};

RotaryRows rotary_rows_of(const Rotary& shape) {
  std::vector<std::int64_t> input;
  std::vector<bool> repeated;
  for (std::size_t axis = 0; axis + 1 < shape.input.size(); ++axis) {
    if (shape.input[axis] == 1) continue;
    const bool repeats = shape.table[axis] == 1;
    if (repeated.empty() || repeated.back() != repeats) {
      input.push_back(1);
      repeated.push_back(repeats);
    }
    input.back() *= shape.input[axis];
  }
  if (input.size() > 2) {
    throw harness::Unsupported("cuDNN rotates strided rows in two axes, and the tables want more");
  }
  RotaryRows rows;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const std::size_t place = 2 - input.size() + axis;
    rows.input[place] = input[axis];
    rows.table[place] = repeated[axis] ? 1 : input[axis];
  }
  return rows;
}

/// The format of the first `half` elements of every row of `length`.
nvidia::TensorFormat half_of(Precision precision, const Dims& rows, std::int64_t half,
                             std::int64_t length) {
  return {precision, {rows[0], rows[1], half}, {rows[1] * length, length, 1}};
}

/// The format of every second element of rows of `length`. Engines write the last axis without gaps
/// whatever its stride is (cuDNN 9.19), so it has one element, and the inner rows and their
/// elements are one axis.
nvidia::TensorFormat every_second_of(Precision precision, const Dims& rows, std::int64_t length) {
  const std::int64_t outer = rows[1] * length;
  return {precision, {rows[0], outer / 2, 1}, {outer, 2, 1}};
}

/// A dense tensor with the problem's own axes.
nvidia::TensorFormat whole(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

}  // namespace

std::vector<GraphCall> rotary_graphs(const Rotary& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  if (precision == Precision::int8) throw harness::Unsupported("cuDNN rotates no integers");
  const RotaryRows rows = rotary_rows_of(shape);
  const std::int64_t half = shape.half();
  const bool own_entries = shape.table.back() != half;
  if (shape.interleaved && (!own_entries || rows.table[1] != rows.input[1])) {
    throw harness::Unsupported(
        "cuDNN rotates neighbours only by tables with an entry for each element of the inner rows");
  }
  const auto format = [&](const Dims& dims, std::int64_t length) {
    return shape.interleaved ? every_second_of(precision, dims, length)
                             : half_of(precision, dims, half, length);
  };
  const nvidia::TensorFormat data = format(rows.input, shape.input.back());
  const nvidia::TensorFormat entries = format(rows.table, shape.table.back());
  // Where the second elements of the points begin.
  const std::int64_t offset = shape.interleaved ? 1 : half;
  const std::int64_t alignment_bytes =
      std::gcd(std::int64_t{16}, offset * element_bytes(precision));

  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  OperationGraph& graph = call.graph();
  call.output = whole(precision, shape.output());
  for (const Operand& operand : shape.inputs())
    call.inputs.push_back(whole(precision, operand.dims));
  const Id x1 = graph.tensor(data);
  const Id cos1 = graph.tensor(entries);
  const Id sin1 = graph.tensor(entries);
  const Id y1 = graph.tensor(data);
  call.bound = {x1, cos1, sin1, y1};
  const auto second = [&](std::size_t operand, const nvidia::TensorFormat& format) {
    auto& tensors = call.stages.front().tensors;
    tensors.push_back(
        {.id = graph.part(format, alignment_bytes), .memory = operand, .offset = offset});
    return tensors.back().id;
  };
  const Id x2 = second(0, data);
  const Id cos2 = own_entries ? second(1, entries) : cos1;
  const Id sin2 = own_entries ? second(2, entries) : sin1;
  const Id y2 = second(call.result(), data);

  const auto rotate = [&](Id own, Id cosine, Id other, Id sine, cudnnPointwiseMode_t sum, Id y) {
    const Id first = graph.intermediate(data);
    const Id across = graph.intermediate(data);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, own, cosine, first);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL}, other, sine, across);
    graph.pointwise({.mode = sum}, first, across, y);
  };
  rotate(x1, cos1, x2, sin1, CUDNN_POINTWISE_SUB, y1);
  rotate(x2, cos2, x1, sin2, CUDNN_POINTWISE_ADD, y2);
  return found;
}

void register_rotary(WayTable& table) {
  table.add(
      engines_of<Rotary>([](const Rotary&) { return std::vector{Layout::plain}; }, rotary_graphs));
}

}  // namespace benanza::cudnn
