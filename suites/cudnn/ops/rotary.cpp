#include "suites/cudnn/ops/graphs.h"

#include <numeric>

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// The rows in two axes; along each, a table has one entry per row or one for all. Engines compute
/// wrong results from rows in two axes and one entry for all of them (9.19).
struct RotaryRows {
  Dims input;
  Dims table;
  /// Of the input and of the result.
  Dims input_strides;
  Dims result_strides;

  std::size_t axes() const { return input.size(); }
  Dims table_strides(std::int64_t length) const {
    Dims made(axes());
    for (std::size_t axis = axes(); axis-- > 0;) {
      made[axis] = length;
      length *= table[axis];
    }
    return made;
  }
};

Dims strides_or_dense(const Dims& strides, const Dims& dims) {
  return strides.empty() ? dense_strides(dims) : strides;
}

Dims input_strides(const Rotary& shape, const harness::Strides& strides) {
  return strides_or_dense(strides.operands.empty() ? Dims{} : strides.operands.front(),
                          shape.input);
}

RotaryRows rotary_rows_of(const Rotary& shape, const harness::Strides& strides) {
  for (std::size_t table = 1; table < strides.operands.size(); ++table) {
    if (!strides.operands[table].empty()) throw harness::Unsupported("tables in strides");
  }
  const Dims read = input_strides(shape, strides);
  const Dims written = strides_or_dense(strides.result, shape.input);
  RotaryRows rows;
  for (std::size_t axis = 0; axis + 1 < shape.input.size(); ++axis) {
    const std::int64_t extent = shape.input[axis];
    if (extent == 1) continue;
    const bool repeats = shape.table[axis] == 1;
    const bool continues = rows.axes() > 0 && (rows.table.back() == 1) == repeats &&
                           rows.input_strides.back() == extent * read[axis] &&
                           rows.result_strides.back() == extent * written[axis];
    if (continues) {
      rows.input.back() *= extent;
      rows.table.back() *= repeats ? 1 : extent;
      rows.input_strides.back() = read[axis];
      rows.result_strides.back() = written[axis];
    } else {
      rows.input.push_back(extent);
      rows.table.push_back(repeats ? 1 : extent);
      rows.input_strides.push_back(read[axis]);
      rows.result_strides.push_back(written[axis]);
    }
  }
  const bool one_entry = element_count(rows.table) == 1;
  if (rows.axes() > 2 || (rows.axes() == 2 && one_entry)) {
    throw harness::Unsupported("cuDNN rotates strided rows in two axes, and the tables want more");
  }
  while (rows.axes() < 2) {
    const auto outer = [&](Dims& strides) {
      strides.insert(strides.begin(),
                     rows.axes() == 0 ? shape.input.back() : rows.input.front() * strides.front());
    };
    outer(rows.input_strides);
    outer(rows.result_strides);
    rows.input.insert(rows.input.begin(), 1);
    rows.table.insert(rows.table.begin(), 1);
  }
  return rows;
}

/// The format of the first `half` elements of every row.
nvidia::TensorFormat half_of(Precision precision, const Dims& rows, Dims strides,
                             std::int64_t half) {
  nvidia::TensorFormat format{precision, rows, std::move(strides)};
  format.dims.push_back(half);
  format.strides.push_back(1);
  return format;
}

/// The format of every second element of dense rows of `length`. Engines write the last axis
/// without gaps whatever its stride is (cuDNN 9.19), so it has one element, and the inner rows and
/// their elements are one axis.
nvidia::TensorFormat every_second_of(Precision precision, const Dims& rows, std::int64_t length) {
  const std::int64_t outer = rows[1] * length;
  return {precision, {rows[0], outer / 2, 1}, {outer, 2, 1}};
}

/// The problem's tensors, and which strides they may have; no graph yet.
GraphCall with_tensors(const Rotary& shape, const harness::Variant& variant) {
  GraphCall call;
  const bool one_entry = element_count(shape.table) == shape.table.back();
  if (!shape.interleaved) call.strided_axes = one_entry ? most_strided_axes - 1 : most_strided_axes;
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back({variant.precision, operand.dims, dense_strides(operand.dims)});
  }
  call.inputs.front().strides = input_strides(shape, variant.strides);
  call.output = {variant.precision, shape.output(),
                 strides_or_dense(variant.strides.result, shape.output())};
  return call;
}

}  // namespace

std::vector<GraphCall> rotary_graphs(const Rotary& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  if (precision == Precision::int8) throw harness::Unsupported("cuDNN rotates no integers");
  if (shape.interleaved && variant.strides != harness::Strides{}) {
    throw harness::Unsupported("cuDNN rotates neighbours in dense rows");
  }
  const RotaryRows rows = rotary_rows_of(shape, variant.strides);
  const std::int64_t half = shape.half();
  const bool own_entries = shape.table.back() != half;
  if (shape.interleaved && (!own_entries || rows.table[1] != rows.input[1])) {
    throw harness::Unsupported(
        "cuDNN rotates neighbours only by tables with an entry for each element of the inner rows");
  }
  const auto format = [&](const Dims& dims, const Dims& strides, std::int64_t length) {
    return shape.interleaved ? every_second_of(precision, dims, length)
                             : half_of(precision, dims, strides, half);
  };
  const std::int64_t length = shape.input.back();
  const nvidia::TensorFormat data = format(rows.input, rows.input_strides, length);
  const nvidia::TensorFormat made = format(rows.input, rows.result_strides, length);
  const nvidia::TensorFormat entries =
      format(rows.table, rows.table_strides(shape.table.back()), shape.table.back());
  // Where the second elements of the points begin.
  const std::int64_t offset = shape.interleaved ? 1 : half;
  const std::int64_t alignment_bytes =
      std::gcd(std::int64_t{16}, offset * element_bytes(precision));

  std::vector<GraphCall> found;
  GraphCall& call = found.emplace_back(with_tensors(shape, variant));
  OperationGraph& graph = call.graph();
  const Id x1 = graph.tensor(data);
  const Id cos1 = graph.tensor(entries);
  const Id sin1 = graph.tensor(entries);
  const Id y1 = graph.tensor(made);
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
  const Id y2 = second(call.result(), made);

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
