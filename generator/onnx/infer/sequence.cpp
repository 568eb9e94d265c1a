#include "generator/onnx/infer/sequence.h"

#include <algorithm>

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {
namespace {

using ::onnx::TypeProto;
using Sequence = std::vector<TypeProto>;

class StepView {
 public:
  explicit StepView(const Step& step) : step_(step), view_(inputs_view(step)) {}

  const NodeView& view() const { return view_; }
  const Node& node() const { return step_.node; }

  /// Throws NotExpressible if the sequence is unknown.
  const Sequence& sequence(std::size_t input) const {
    const Value* value = input < step_.inputs.size() ? step_.inputs[input] : nullptr;
    if (value != nullptr && value->sequence) return *value->sequence;
    throw NotExpressible("a sequence from elsewhere");
  }

  /// The position in a sequence of `count` tensors, from input `index`; the end if omitted.
  std::size_t place(std::size_t index, std::size_t count) const {
    if (!view_.has_input(index)) return count;
    const Dims stated = view_.integers(index);
    if (stated.size() != 1) throw NotExpressible("not one place");
    const auto length = static_cast<std::int64_t>(count);
    const std::int64_t at = stated[0] < 0 ? stated[0] + length : stated[0];
    if (at < 0 || at > length) throw NotExpressible("a place outside of the sequence");
    return static_cast<std::size_t>(at);
  }

  TypeProto tensor(std::size_t input) const {
    const Tensor& tensor = view_.input(input);
    return make_type(tensor.type, tensor.shape);
  }

 private:
  const Step& step_;
  NodeView view_;
};

Sequence construct(const StepView& step) {
  Sequence sequence;
  for (std::size_t index = 0; index < step.view().input_count(); ++index) {
    sequence.push_back(step.tensor(index));
  }
  return sequence;
}

Sequence insert(const StepView& step) {
  Sequence sequence = step.sequence(0);
  const std::size_t place = step.place(2, sequence.size());
  sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(place), step.tensor(1));
  return sequence;
}

Sequence erase(const StepView& step) {
  Sequence sequence = step.sequence(0);
  if (sequence.empty()) throw NotExpressible("nothing to erase");
  const std::size_t place =
      step.view().has_input(1) ? step.place(1, sequence.size()) : sequence.size() - 1;
  if (place == sequence.size()) throw NotExpressible("a place outside of the sequence");
  sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(place));
  return sequence;
}

/// Splits into parts of one size, of individual sizes, or of one element each.
Sequence split(const StepView& step) {
  constexpr std::int64_t most_parts = 4096;
  const NodeView& node = step.view();
  const Dims& dims = node.shape(0);
  const auto axis =
      static_cast<std::size_t>(NodeView::axis(step.node().integer("axis", 0), dims.size()));
  const bool drops = !node.has_input(1) && step.node().integer("keepdims", 1) == 0;
  Dims sizes;
  if (node.has_input(1) && !node.shape(1).empty()) {
    sizes = node.integers(1);
  } else {
    const std::int64_t size = node.has_input(1) ? node.integers(1).at(0) : 1;
    if (size < 1 || dims[axis] / size > most_parts) throw NotExpressible("too many parts");
    for (std::int64_t left = dims[axis]; left > 0; left -= size) {
      sizes.push_back(std::min(size, left));
    }
  }
  Sequence sequence;
  for (const std::int64_t size : sizes) {
    Dims part = dims;
    part[axis] = size;
    if (drops) part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
    sequence.push_back(make_type(node.input(0).type, part));
  }
  return sequence;
}

TypeProto taken(const StepView& step) {
  const Sequence& sequence = step.sequence(0);
  const std::size_t place = step.place(1, sequence.size());
  if (place == sequence.size()) throw NotExpressible("a place outside of the sequence");
  return sequence[place];
}

TypeProto joined(const StepView& step) {
  const Sequence& sequence = step.sequence(0);
  if (sequence.empty()) throw NotExpressible("nothing to join");
  const Tensor first = make_tensor("", sequence.front());
  if (!first.shape) throw NotExpressible("a part without a shape");
  Dims dims = *first.shape;
  const bool stacks = step.node().integer("new_axis", 0) != 0;
  const auto axis = static_cast<std::size_t>(
      NodeView::axis(step.node().integer("axis", 0), dims.size() + (stacks ? 1 : 0)));
  if (stacks) {
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis),
                static_cast<std::int64_t>(sequence.size()));
    return make_type(first.type, dims);
  }
  dims[axis] = 0;
  for (const TypeProto& part : sequence) {
    const auto shape = make_tensor("", part).shape;
    if (!shape || shape->size() != dims.size()) throw NotExpressible("a part without a shape");
    dims[axis] += (*shape)[axis];
  }
  return make_type(first.type, dims);
}

}  // namespace

void follow_sequences(const Step& step, std::vector<TypeProto>& types) {
  if (!step.node.domain().empty() || step.outputs.empty() || step.outputs[0] == nullptr) return;
  const std::string& op = step.node.op_type();
  const StepView view(step);
  const auto note = [&](Sequence sequence) { step.outputs[0]->sequence = std::move(sequence); };
  const auto complete = [&](const TypeProto& type) {
    if (!make_tensor("", types[0]).shape) types[0] = type;
  };
  try {
    if (op == "SequenceEmpty") note({});
    if (op == "SequenceConstruct") note(construct(view));
    if (op == "SequenceInsert") note(insert(view));
    if (op == "SequenceErase") note(erase(view));
    if (op == "SplitToSequence") note(split(view));
    if (op == "Identity" && types[0].has_sequence_type()) note(view.sequence(0));
    if (op == "SequenceAt") complete(taken(view));
    if (op == "ConcatFromSequence") complete(joined(view));
  } catch (const NotExpressible&) {
    // The sequence is not tracked any further.
  }
}

std::optional<std::int64_t> sequence_length(const Step& step) {
  if (step.node.full_type() != "SequenceLength" || step.inputs.empty()) return std::nullopt;
  const Value* value = step.inputs[0];
  if (value == nullptr || !value->sequence) return std::nullopt;
  return static_cast<std::int64_t>(value->sequence->size());
}

}  // namespace benanza::onnx
