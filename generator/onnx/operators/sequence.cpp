#include "core/base/error.h"
#include "generator/onnx/operators/shared/operator.h"

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

}  // namespace

void register_sequence(OperatorTable& table) {
  constexpr std::string_view reason = "no library here works on sequences of tensors";
  for (const auto* op : {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase",
                         "SequenceAt", "SequenceLength", "ConcatFromSequence"}) {
    table.add(op, {.unsupported = reason});
  }
  table.add("SplitToSequence", {.check = check_part_size, .unsupported = reason});
}

}  // namespace benanza::onnx
