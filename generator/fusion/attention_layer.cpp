#include "generator/fusion/attention_layer.h"

#include <utility>

#include "core/problem/ops/attention.h"
#include "generator/fusion/strided_view.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {
namespace {

/// What a call reads that has the operand `source`, of extents `dims`, where copies found it.
Source read_in_place(const std::vector<Call>& calls, Source source, const Dims& dims) {
  StridedView view(dims, dense_strides(dims));
  while (source.kind == Source::Kind::call && source.is_whole() && source.scale == 1) {
    const Call& call = calls[static_cast<std::size_t>(source.index)];
    const Copy* const copy = copy_of_all(call);
    StridedView before = view;
    const bool goes = copy != nullptr &&
                      before.back_through(*copy, call.from_offset, call.to_offset) &&
                      before.strides();
    if (!goes) break;
    view = std::move(before);
    source = call.operands[0];
  }
  const Dims strides = view.strides().value_or(Dims{});
  if (strides == dense_strides(dims) && view.offset() == 0) return source;
  source.part_from = source.part_from.value_or(0) + view.offset();
  source.strides = strides;
  return source;
}

/// Rows of matrices with room for more.
void make_strided(Source& source, const Dims& dims) {
  if (source.matrix_rows == 0) return;
  const std::int64_t matrix = source.matrix_rows * dims[3];
  source.strides = {dims[1] * matrix, matrix, dims[3], 1};
  source.matrix_rows = 0;
}

/// If the last call is a copy of attention's result, attention writes it in place.
void write_in_place(std::vector<Call>& calls, const Dims& dims) {
  if (calls.size() < 2) return;
  const Call& last = calls.back();
  Call& made = calls[calls.size() - 2];
  const Copy* const copy = copy_of_all(last);
  const bool follows = std::holds_alternative<Attention>(made.problem.shape) && copy != nullptr &&
                       last.operands[0].kind == Source::Kind::call && last.operands[0].is_whole() &&
                       last.output == made.output &&
                       static_cast<std::size_t>(last.operands[0].index) + 2 == calls.size();
  if (!follows) return;
  StridedView view(dims, dense_strides(dims));
  if (!view.back_through(reversed(*copy), last.to_offset, last.from_offset)) return;
  const auto strides = view.strides();
  if (view.offset() != 0 || !strides) return;
  made.result_strides = *strides;
  calls.pop_back();
}

}  // namespace

std::vector<Call> attention_calls(const LoweredLayer& layer, const AttentionPlace& place,
                                  const Attention& shape) {
  if (place.operands.empty()) return {};
  Call attention{.problem = {shape, {}}, .operands = place.operands};
  const std::vector<Operand> operands = shape.inputs();
  const bool needs_dense = queries_can_be_heads(shape);
  for (std::size_t index = needs_dense ? 1 : 0; index < 3; ++index) {
    Source& source = attention.operands[index];
    make_strided(source, operands[index].dims);
    source = read_in_place(layer.calls, source, operands[index].dims);
  }
  std::vector<Call> calls(layer.calls.begin(), layer.calls.end());
  const auto values = static_cast<std::size_t>(place.values - layer.calls.data());
  attention.output = calls[values].output;
  calls[values] = std::move(attention);
  for (std::size_t index = calls.size(); index-- > 0;) {
    if (index != values && place.inside.contains(&layer.calls[index])) erase_call(calls, index, {});
  }
  if (!needs_dense) write_in_place(calls, shape.output());
  const int output = calls.back().output;
  for (std::size_t index = calls.size() - 1; index-- > 0;) {
    const bool is_idle = copy_of_all(calls[index]) != nullptr && calls[index].output == output &&
                         !is_read(calls, index);
    if (is_idle) erase_call(calls, index, {});
  }
  return calls;
}

}  // namespace benanza::fusion
