#include "generator/fusion/attention_call.h"

#include <algorithm>
#include <utility>

#include "core/problem/ops/attention.h"
#include "generator/fusion/attention_softmax.h"
#include "generator/fusion/strided_view.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {
namespace {

/// Follows attention's operands and result through the layers that its call replaces.
class Tracer {
 public:
  Tracer(const Flow& flow, const std::vector<std::size_t>& layers) : flow_(flow), layers_(layers) {}

  /// What operand `source` of a call of layer `index` reads, where `view` is how the call sees it.
  std::optional<FlowOperand> operand(std::size_t index, Source source, StridedView view) const {
    for (;;) {
      const auto before = step_back(index, source);
      if (!before) break;
      if (before->copy != nullptr) {
        const Copy* const copy = copy_of_all(*before->copy);
        if (copy == nullptr ||
            !view.back_through(*copy, before->copy->from_offset, before->copy->to_offset)) {
          return std::nullopt;
        }
      }
      index = before->layer;
      source = before->source;
      if (source.scale != 1) return std::nullopt;
    }
    const Read* const read = flow_.read(index, source);
    const auto strides = view.strides();
    if (read == nullptr || read->tensor == 0 || is_replaced(*read) || !strides) return std::nullopt;
    FlowOperand found{.index = read->tensor, .offset = view.offset()};
    if (*strides != dense_strides(view.dims()) || found.offset != 0) {
      // The values of constants are uploaded one after the other.
      if (read->constant) return std::nullopt;
      found.strides = *strides;
    }
    return found;
  }

  /// The strides that the result of `product`, whose extents are `dims`, has in the last layer's
  /// output. Empty if there are none.
  std::optional<Dims> result(const ProductCall& product, const Dims& dims) const {
    std::vector<const Call*> copies;
    std::size_t index = layers_.back();
    if (flow_.layer(index).outputs.size() != 1) return std::nullopt;
    std::optional<std::size_t> call = last_call(index);
    while (!call || index != product.layer || *call != product.call) {
      Source source{.index = 0};
      if (call) {
        const Call& made = flow_.layer(index).calls[*call];
        if (copy_of_all(made) == nullptr) return std::nullopt;
        copies.push_back(&made);
        source = made.operands[0];
      } else if (!flow_.passes_on(index)) {
        return std::nullopt;
      }
      if (source.kind == Source::Kind::call) {
        call = static_cast<std::size_t>(source.index);
        continue;
      }
      const Read* const read = flow_.read(index, source);
      if (read == nullptr || !is_replaced(*read)) return std::nullopt;
      index = *read->producer;
      call = last_call(index);
    }
    StridedView view(dims, dense_strides(dims));
    for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
      if (!view.back_through(reversed(*copy_of_all(**copy)), (*copy)->to_offset,
                             (*copy)->from_offset)) {
        return std::nullopt;
      }
    }
    return view.offset() == 0 ? view.strides() : std::nullopt;
  }

 private:
  struct Before {
    /// Null if the elements stay where they are.
    const Call* copy = nullptr;
    std::size_t layer = 0;
    Source source = {};
  };

  bool is_replaced(const Read& read) const {
    return read.producer && std::ranges::binary_search(layers_, *read.producer);
  }

  /// The call that makes the layer's only output; empty if it has no calls.
  std::optional<std::size_t> last_call(std::size_t index) const {
    const std::size_t calls = flow_.layer(index).calls.size();
    return calls == 0 || flow_.passes_on(index) ? std::nullopt : std::optional(calls - 1);
  }

  /// The copy, factor or view that makes what is read, if the call replaces it.
  std::optional<Before> step_back(std::size_t index, const Source& source) const {
    if (source.kind == Source::Kind::call) {
      const Call& call = flow_.layer(index).calls[static_cast<std::size_t>(source.index)];
      if (copy_of_all(call) == nullptr) return std::nullopt;
      return Before{&call, index, call.operands[0]};
    }
    const Read* const read = flow_.read(index, source);
    if (read == nullptr || !is_replaced(*read)) return std::nullopt;
    const std::size_t maker = *read->producer;
    const LoweredLayer& layer = flow_.layer(maker);
    if (flow_.passes_on(maker)) return Before{nullptr, maker, {.index = 0}};
    if (ScoreScale::is_factor(layer)) return Before{nullptr, maker, layer.calls[0].operands[0]};
    const Call* copy = nullptr;
    for (const Call& call : layer.calls) {
      if (static_cast<std::size_t>(call.output) != read->output) continue;
      if (copy != nullptr || copy_of_all(call) == nullptr) return std::nullopt;
      copy = &call;
    }
    if (copy == nullptr) return std::nullopt;
    return Before{copy, maker, copy->operands[0]};
  }

  const Flow& flow_;
  const std::vector<std::size_t>& layers_;
};

const Call& call_at(const Flow& flow, const ProductCall& at) {
  return flow.layer(at.layer).calls[at.call];
}

/// The mask, if the call adds at most one tensor.
std::optional<std::vector<FlowOperand>> mask_of(const Attention& shape,
                                                const AttentionParts& parts) {
  if (!parts.masks || parts.masks->size() != (shape.mask.empty() ? 0 : 1)) return std::nullopt;
  return parts.masks;
}

}  // namespace

std::optional<FlowCall> attention_call(const Flow& flow, const Attention& shape,
                                       const AttentionParts& parts,
                                       const std::vector<std::size_t>& layers) {
  const auto masks = mask_of(shape, parts);
  if (!masks) return std::nullopt;
  const Tracer tracer(flow, layers);
  const Call& scores = call_at(flow, parts.scores);
  const Call& values = call_at(flow, parts.values);
  const auto heads = [&](std::int64_t size, std::int64_t row_stride, std::int64_t column_stride) {
    const std::int64_t matrix = parts.repeats * shape.keys * size;
    return StridedView({shape.batch, shape.kv_heads, shape.keys, size},
                       {shape.kv_heads * matrix, matrix, row_stride, column_stride});
  };
  const Dims queries{shape.batch, shape.heads, shape.queries, shape.size};
  const bool are_rows = std::get<Gemm>(scores.problem.shape).transpose_b;
  const auto q = tracer.operand(parts.scores.layer, scores.operands[0],
                                StridedView(queries, dense_strides(queries)));
  const auto k = tracer.operand(
      parts.scores.layer, scores.operands[1],
      are_rows ? heads(shape.size, shape.size, 1) : heads(shape.size, 1, shape.keys));
  const auto v = tracer.operand(parts.values.layer, values.operands[1],
                                heads(shape.value_size, shape.value_size, 1));
  const auto strides = tracer.result(parts.values, shape.output());
  if (!q || !k || !v || !strides || (shape.sink && !parts.sinks)) return std::nullopt;
  FlowCall call{.problem = key({shape, {}}), .operands = {*q, *k, *v}};
  call.operands.insert(call.operands.end(), masks->begin(), masks->end());
  if (shape.sink) call.operands.push_back(*parts.sinks);
  if (*strides != dense_strides(shape.output())) call.result_strides = *strides;
  const bool are_dense = q->strides.empty() && call.result_strides.empty();
  if (!are_dense && queries_can_be_heads(shape)) return std::nullopt;
  return call;
}

}  // namespace benanza::fusion
