#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/part_sizes.h"

namespace benanza::onnx {
namespace {

/// The schema's inference divides by the part size.
void check_part_size(const NodeView& node) {
  if (node.rank(1) != 0U || !node.input(1).literal) return;
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&*node.input(1).literal);
  if (sizes != nullptr && sizes->size() == 1 && sizes->front() < 1) {
    throw Error("splits into parts of " + std::to_string(sizes->front()) + " elements");
  }
}

/// A copy for every part. Readers that take known parts read the input instead (see
/// infer/sequence.h).
Lowered lower_parts(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::size_t axis = split_axis(node);
  View part{dims, dense_strides(dims), 0};
  std::vector<Call> calls;
  for (const std::int64_t size : part_sizes(node)) {
    part.dims[axis] = size;
    if (size == dims[axis]) return free_layer("its only part is the whole input");
    if (element_count(part.dims) != 0) {
      calls.push_back(copy_call(part, dense_view(part.dims)));
    }
    part.offset += size * part.strides[axis];
  }
  return movement(std::move(calls));
}

Lowered lower_reference(const NodeView&) { return free_layer("a sequence refers to its tensors"); }

Lowered lower_optional(const NodeView&) { return free_layer("it refers to what it holds"); }

}  // namespace

void register_sequence(OperatorTable& table) {
  for (const auto* op : {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase",
                         "SequenceLength"}) {
    table.add(op, {.lower = lower_reference});
  }
  table.add("SplitToSequence",
            {.check = check_part_size, .lower = lower_parts, .idle_attributes = {"keepdims"}});
  table.add("Optional", {.lower = lower_optional, .idle_attributes = {"type"}});
  for (const auto* op : {"SequenceAt", "ConcatFromSequence"}) {
    table.add(op, {.unsupported = "what is in the sequence is only known when the model runs"});
  }
}

}  // namespace benanza::onnx
