#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/model/subgraph.h"
#include "generator/onnx/operators/shared/views.h"

/// Bodies that run a known number of times, one round after the other.
namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// Longer programs are not read round by round.
constexpr std::int64_t most_steps = std::int64_t{1} << 14;

/// A value, and what nodes call it.
struct NamedValue {
  std::string name;
  Value* value = nullptr;
};

void set_integers(NodeProto& node, const std::string& name, std::int64_t value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  attribute.add_ints(value);
}

/// A step of the standard operators' opset 11 or, for a Slice, the last one whose places are
/// attributes.
Step made_step(Program& program, const std::string& name, std::unique_ptr<NodeProto> proto,
               const std::vector<NamedValue>& from, const NamedValue& to) {
  for (const NamedValue& input : from) proto->add_input(input.name);
  proto->add_output(to.name);
  const int opset = proto->op_type() == "Slice" ? 9 : 11;
  program.made.push_back(std::move(proto));
  Step step{Node(*program.made.back(), name, opset)};
  for (const NamedValue& input : from) step.inputs.push_back(input.value);
  step.outputs = {to.value};
  mark_consumed(step);
  return step;
}

std::unique_ptr<NodeProto> node_of(const std::string& op) {
  auto proto = std::make_unique<NodeProto>();
  proto->set_op_type(op);
  return proto;
}

/// An axis along which a Scan reads a sequence, or a body's results are collected.
struct Direction {
  std::int64_t axis = 0;
  bool backwards = false;
};

/// Places and directions of `count` sequences or results; all first and forwards if the node does
/// not say.
std::vector<Direction> directions(const Step& step, const std::string& which, std::size_t count) {
  const auto stated = [&](const std::string& name) {
    Dims values = step.node.integers(name).value_or(Dims(count, 0));
    if (values.size() != count) throw Error(name + " are not one per sequence");
    return values;
  };
  const Dims axes = stated("scan_" + which + "_axes");
  const Dims backwards = stated("scan_" + which + "_directions");
  std::vector<Direction> result;
  for (std::size_t index = 0; index < count; ++index) {
    result.push_back({axes[index], backwards[index] != 0});
  }
  return result;
}

class Rounds {
 public:
  Rounds(Program& program, const Step& step, const GraphProto& body, std::int64_t rounds)
      : program_(program),
        step_(step),
        body_(body),
        rounds_(rounds),
        leading_(step.node.op_type() == "Loop") {
    const std::size_t sequences = leading_ ? 0 : at(step.node.integer("num_scan_inputs", 0));
    first_ = leading_ ? 2 : 0;
    states_ = step.inputs.size() - first_ - sequences;
    const std::size_t inputs = first_ + states_ + sequences;
    const auto outputs = static_cast<std::size_t>(body.output_size());
    if (at(body.input_size()) < inputs || outputs < leading_ + states_ ||
        outputs < leading_ + step.outputs.size()) {
      throw Error("its body has " + std::to_string(body.input_size()) + " inputs and " +
                  std::to_string(outputs) + " outputs");
    }
    const std::size_t collected = outputs - leading_ - states_;
    from_ = directions(step, "input", sequences);
    to_ = leading_ ? std::vector<Direction>(collected) : directions(step, "output", collected);
    parts_.resize(collected);
  }

  std::int64_t steps_per_round() const {
    return std::max<std::int64_t>(1, body_.node_size()) + 2 * std::ssize(from_) + std::ssize(to_) +
           static_cast<std::int64_t>(states_);
  }

  bool collects() const {
    for (std::size_t index = 0; index < to_.size(); ++index) {
      if (wanted(states_ + index) != nullptr) return true;
    }
    return false;
  }

  std::vector<Step> steps() {
    state_.assign(step_.inputs.begin() + std::ptrdiff_t(first_),
                  step_.inputs.begin() + std::ptrdiff_t(first_ + states_));
    for (std::int64_t round = 0; round < rounds_; ++round) add(round);
    for (std::size_t index = 0; index < to_.size(); ++index) collect(index);
    return std::move(steps_);
  }

 private:
  Value* wanted(std::size_t output) const {
    return output < step_.outputs.size() ? step_.outputs[output] : nullptr;
  }

  /// As which a round's nodes are named.
  Step owner_of(std::int64_t round) const {
    Step owner = step_;
    if (rounds_ > 1) {
      const std::string name = step_.node.name() + '/' + std::to_string(round);
      owner.node = Node(step_.node.proto(), name, step_.node.opset());
    }
    return owner;
  }

  Value* constant(const Step& owner, int input, int type, std::int64_t number) {
    const std::string& name = body_.input(input).name();
    Value* const value = new_value(program_, owner, name);
    value->value_type = make_type(type, Dims{});
    static_cast<Tensor&>(*value) = make_tensor(name, value->value_type);
    value->constant = value->given = true;
    value->literal = Dims{number};
    return value;
  }

  /// The round's element of a sequence.
  Value* element(const Step& owner, std::size_t index, std::int64_t round) {
    const std::size_t input = first_ + states_ + index;
    NamedValue from{step_.node.proto().input(static_cast<int>(input)), step_.inputs[input]};
    const std::string& name = body_.input(static_cast<int>(input)).name();
    if (rounds_ > 1) {
      const std::int64_t place = from_[index].backwards ? rounds_ - 1 - round : round;
      const NamedValue cut{name + "_part", new_value(program_, owner, name + "_part")};
      auto slice = node_of("Slice");
      set_integers(*slice, "axes", from_[index].axis);
      set_integers(*slice, "starts", place);
      set_integers(*slice, "ends", place + 1);
      steps_.push_back(
          made_step(program_, owner.node.name() + "/Slice_" + name, std::move(slice), {from}, cut));
      from = cut;
    }
    const NamedValue to{name, new_value(program_, owner, name)};
    auto squeeze = node_of("Squeeze");
    set_integers(*squeeze, "axes", from_[index].axis);
    steps_.push_back(made_step(program_, owner.node.name() + "/Squeeze_" + name, std::move(squeeze),
                               {from}, to));
    return to.value;
  }

  void add(std::int64_t round) {
    const Step owner = owner_of(round);
    const bool is_last = round + 1 == rounds_;
    std::vector<Value*> arguments;
    if (leading_) {
      arguments = {constant(owner, 0, ::onnx::TensorProto::INT64, round),
                   constant(owner, 1, ::onnx::TensorProto::BOOL, 1)};
    }
    arguments.insert(arguments.end(), state_.begin(), state_.end());
    for (std::size_t index = 0; index < from_.size(); ++index) {
      arguments.push_back(element(owner, index, round));
    }
    std::vector<Value*> outputs(static_cast<std::size_t>(body_.output_size()), nullptr);
    const auto name = [&](std::size_t output) {
      return body_.output(static_cast<int>(leading_ + output)).name();
    };
    for (std::size_t index = 0; index < states_; ++index) {
      state_[index] = is_last ? wanted(index) : new_value(program_, owner, name(index));
      outputs[leading_ + index] = state_[index];
    }
    std::vector<Step> last;
    for (std::size_t index = 0; index < to_.size(); ++index) {
      Value* const all = wanted(states_ + index);
      if (all == nullptr) continue;
      const NamedValue made{name(states_ + index),
                            new_value(program_, owner, name(states_ + index))};
      outputs[leading_ + states_ + index] = made.value;
      const std::string part = made.name + "_part";
      const NamedValue to =
          rounds_ == 1 ? result(index, all) : NamedValue{part, new_value(program_, owner, part)};
      auto unsqueeze = node_of("Unsqueeze");
      set_integers(*unsqueeze, "axes", to_[index].axis);
      last.push_back(made_step(
          program_, owner.node.name() + "/Unsqueeze_" + (rounds_ == 1 ? to.name : made.name),
          std::move(unsqueeze), {made}, to));
      parts_[index].push_back(to);
    }
    for (Step& step : body_steps(program_, owner, body_, arguments, outputs, &constants_)) {
      steps_.push_back(std::move(step));
    }
    for (Step& step : last) steps_.push_back(std::move(step));
  }

  NamedValue result(std::size_t index, Value* all) const {
    return {step_.node.proto().output(static_cast<int>(states_ + index)), all};
  }

  /// Joins what the rounds made of a collected result.
  void collect(std::size_t index) {
    Value* const all = wanted(states_ + index);
    if (all == nullptr || rounds_ < 2) return;
    std::vector<NamedValue>& parts = parts_[index];
    if (to_[index].backwards) std::ranges::reverse(parts);
    auto concat = node_of("Concat");
    AttributeProto& axis = *concat->add_attribute();
    axis.set_name("axis");
    axis.set_type(AttributeProto::INT);
    axis.set_i(to_[index].axis);
    const NamedValue to = result(index, all);
    steps_.push_back(made_step(program_, step_.node.name() + "/Concat_" + to.name,
                               std::move(concat), parts, to));
  }

  Program& program_;
  const Step& step_;
  const GraphProto& body_;
  std::int64_t rounds_;
  /// A Loop's body begins with the number of the round and the condition, and ends with the latter.
  std::size_t leading_;
  std::size_t first_ = 0;
  std::size_t states_ = 0;
  std::vector<Direction> from_;
  std::vector<Direction> to_;
  std::vector<Value*> state_;
  std::vector<std::vector<NamedValue>> parts_;
  BodyConstants constants_;
  std::vector<Step> steps_;
};

/// What a body that never runs leaves.
std::vector<Step> states_as_they_are(Program& program, const Step& loop) {
  std::vector<Step> steps;
  const ::onnx::NodeProto& proto = loop.node.proto();
  for (std::size_t index = 0; index < loop.outputs.size(); ++index) {
    if (loop.outputs[index] == nullptr) continue;
    const NamedValue from{proto.input(static_cast<int>(index + 2)), loop.inputs[index + 2]};
    const NamedValue to{proto.output(static_cast<int>(index)), loop.outputs[index]};
    steps.push_back(made_step(program, loop.node.name() + "/output_" + std::to_string(index),
                              node_of("Identity"), {from}, to));
  }
  return steps;
}

}  // namespace

std::optional<std::int64_t> known_rounds(const Step& step) {
  const AttributeProto* const body = step.node.find("body");
  if (body == nullptr || !body->has_g()) return std::nullopt;
  if (step.node.full_type() == "Loop") return rounds_of_loop(step);
  if (step.node.full_type() == "Scan" && step.node.opset() >= 9) return rounds_of_scan(step);
  return std::nullopt;
}

std::vector<Step> steps_of_rounds(Program& program, Step& step, const InferProgram& infer) {
  try {
    auto count = known_rounds(step);
    if (!count) count = computed_rounds(program, step, infer);
    if (!count) return {};
    Rounds rounds(program, step, step.node.find("body")->g(), *count);
    if (*count == 0) {
      const bool has_states = step.node.op_type() == "Loop" && !rounds.collects();
      return has_states ? states_as_they_are(program, step) : std::vector<Step>{};
    }
    if (*count > (most_steps - program.unrolled) / rounds.steps_per_round()) return {};
    std::vector<Step> steps = rounds.steps();
    program.unrolled += *count * rounds.steps_per_round();
    keep_names(step);
    return steps;
  } catch (const std::exception& error) {
    step.misfit = error.what();
    return {};
  }
}

}  // namespace benanza::onnx
