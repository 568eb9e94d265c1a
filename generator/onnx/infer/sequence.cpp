#include "generator/onnx/infer/sequence.h"

#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/part_sizes.h"

namespace benanza::onnx {
namespace {

using ::onnx::NodeProto;
using Sequence = std::vector<SequencePart>;

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

  SequencePart whole(std::size_t input) const {
    if (!view_.has_input(input)) throw NotExpressible("no tensor");
    return {.tensor = step_.inputs[input]};
  }

 private:
  const Step& step_;
  NodeView view_;
};

Sequence construct(const StepView& step) {
  Sequence sequence;
  for (std::size_t index = 0; index < step.view().input_count(); ++index) {
    sequence.push_back(step.whole(index));
  }
  return sequence;
}

Sequence insert(const StepView& step) {
  Sequence sequence = step.sequence(0);
  const std::size_t place = step.place(2, sequence.size());
  sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(place), step.whole(1));
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

Sequence split(const StepView& step) {
  const auto axis = static_cast<std::int64_t>(split_axis(step.view()));
  const bool drops = !step.view().has_input(1) && step.node().integer("keepdims", 1) == 0;
  Sequence sequence;
  std::int64_t start = 0;
  for (const std::int64_t size : part_sizes(step.view())) {
    sequence.push_back(step.whole(0));
    sequence.back().cut = {.axis = axis, .start = start, .size = size, .drops_axis = drops};
    start += size;
  }
  return sequence;
}

/// Makes the steps that replace one step of a program.
class Replacement {
 public:
  Replacement(Program& program, const Step& replaced) : program_(program), replaced_(replaced) {}

  /// A step of `op` at version `opset` of the standard operators. Its name is the replaced one's
  /// if it makes that one's output.
  Value* add(const std::string& op, int opset, const std::vector<Value*>& inputs,
             const std::vector<std::pair<std::string, std::int64_t>>& lists, bool is_last,
             std::optional<std::int64_t> axis = {}) {
    std::string id = replaced_.node.name();
    Value* made = replaced_.outputs[0];
    auto proto = std::make_unique<NodeProto>();
    if (is_last) {
      proto->add_output(replaced_.node.proto().output(0));
    } else {
      id += "/part_" + std::to_string(steps.size());
      while (program_.values.contains(id)) id += '\'';
      made = program_.value(id);
      made->name = id;
      made->consumed = true;
      proto->add_output(id);
    }
    proto->set_op_type(op);
    for (const Value* input : inputs) proto->add_input(input->name);
    for (const auto& [name, value] : lists) {
      auto& attribute = *proto->add_attribute();
      attribute.set_name(name);
      attribute.set_type(::onnx::AttributeProto::INTS);
      attribute.add_ints(value);
    }
    if (axis) {
      auto& attribute = *proto->add_attribute();
      attribute.set_name("axis");
      attribute.set_type(::onnx::AttributeProto::INT);
      attribute.set_i(*axis);
    }
    program_.made.push_back(std::move(proto));
    steps.push_back({.node = Node(*program_.made.back(), id, opset),
                     .inputs = inputs,
                     .outputs = {made},
                     .assumption = replaced_.assumption});
    return made;
  }

  /// The part as a tensor of its own.
  Value* tensor(const SequencePart& part, bool is_last) {
    if (!part.cut) {
      return is_last ? add("Identity", replaced_.node.opset(), {part.tensor}, {}, true)
                     : part.tensor;
    }
    const SequencePart::Cut& cut = *part.cut;
    // The last version whose places are attributes.
    Value* taken = add("Slice", 9, {part.tensor},
                       {{"axes", cut.axis}, {"starts", cut.start}, {"ends", cut.start + cut.size}},
                       is_last && !cut.drops_axis);
    return cut.drops_axis ? add("Squeeze", 11, {taken}, {{"axes", cut.axis}}, is_last) : taken;
  }

  std::vector<Step> steps;

 private:
  Program& program_;
  const Step& replaced_;
};

std::vector<Step> taken(Program& program, const Step& step, const StepView& view) {
  const Sequence& sequence = view.sequence(0);
  const std::size_t place = view.place(1, sequence.size());
  if (place == sequence.size()) throw NotExpressible("a place outside of the sequence");
  Replacement replacement(program, step);
  replacement.tensor(sequence[place], true);
  return std::move(replacement.steps);
}

std::vector<Step> joined(Program& program, const Step& step, const StepView& view) {
  const Sequence& sequence = view.sequence(0);
  if (sequence.empty()) throw NotExpressible("nothing to join");
  Replacement replacement(program, step);
  const bool stacks = step.node.integer("new_axis", 0) != 0;
  const std::int64_t axis = step.node.integer("axis", 0);
  std::vector<Value*> parts;
  for (const SequencePart& part : sequence) {
    Value* tensor = replacement.tensor(part, false);
    parts.push_back(stacks ? replacement.add("Unsqueeze", 11, {tensor}, {{"axes", axis}}, false)
                           : tensor);
  }
  replacement.add("Concat", step.node.opset(), parts, {}, true, axis);
  return std::move(replacement.steps);
}

/// The Optional that makes the value; null if none does.
const Step* maker_of_optional(const Program& program, const Value& value) {
  if (!value.producer) return nullptr;
  const Step& maker = program.steps[*value.producer];
  return maker.node.full_type() == "Optional" ? &maker : nullptr;
}

/// The tensor or sequence that a value which may be empty surely holds: itself if it is one. Null
/// if that is unknown.
Value* held(const Program& program, Value* value) {
  while (value != nullptr) {
    if (value->value_type.has_tensor_type() || value->value_type.has_sequence_type()) return value;
    const Step* const maker = maker_of_optional(program, *value);
    if (maker == nullptr || maker->inputs.empty()) return nullptr;
    value = maker->inputs[0];
  }
  return nullptr;
}

std::vector<Step> unwrapped(Program& program, const Step& step) {
  Value* const tensor = step.inputs.empty() ? nullptr : held(program, step.inputs[0]);
  if (tensor == nullptr) return {};
  Replacement replacement(program, step);
  replacement.add("Identity", step.node.opset(), {tensor}, {}, true);
  return std::move(replacement.steps);
}

bool has_standard_output(const Step& step) {
  return step.node.domain().empty() && !step.outputs.empty() && step.outputs[0] != nullptr;
}

}  // namespace

void follow_sequences(const Step& step) {
  if (!has_standard_output(step)) return;
  const std::string& op = step.node.op_type();
  const StepView view(step);
  const auto note = [&](Sequence sequence) { step.outputs[0]->sequence = std::move(sequence); };
  try {
    if (op == "SequenceEmpty") note({});
    if (op == "SequenceConstruct") note(construct(view));
    if (op == "SequenceInsert") note(insert(view));
    if (op == "SequenceErase") note(erase(view));
    if (op == "SplitToSequence") note(split(view));
    if (op == "Identity" && step.inputs.at(0)->sequence) note(view.sequence(0));
  } catch (const NotExpressible&) {
    // The sequence is not tracked any further.
  }
}

std::vector<Step> without_sequences(Program& program, const Step& step) {
  if (!has_standard_output(step)) return {};
  const std::string& op = step.node.op_type();
  try {
    if (op == "SequenceAt") return taken(program, step, StepView(step));
    if (op == "ConcatFromSequence") return joined(program, step, StepView(step));
    if (op == "OptionalGetElement") return unwrapped(program, step);
  } catch (const NotExpressible&) {
    // The step stays.
  }
  return {};
}

std::optional<std::int64_t> sequence_length(const Step& step) {
  if (step.node.full_type() != "SequenceLength" || step.inputs.empty()) return std::nullopt;
  const Value* value = step.inputs[0];
  if (value == nullptr || !value->sequence) return std::nullopt;
  return static_cast<std::int64_t>(value->sequence->size());
}

std::optional<bool> has_element(const Program& program, const Step& step) {
  if (step.node.full_type() != "OptionalHasElement") return std::nullopt;
  if (step.inputs.empty() || step.inputs[0] == nullptr) return false;
  if (held(program, step.inputs[0]) != nullptr) return true;
  const Step* const maker = maker_of_optional(program, *step.inputs[0]);
  const bool is_empty = maker != nullptr && (maker->inputs.empty() || maker->inputs[0] == nullptr);
  return is_empty ? std::optional(false) : std::nullopt;
}

}  // namespace benanza::onnx
