#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/control_flow/made_step.h"
#include "generator/onnx/model/subgraph.h"
#include "generator/onnx/operators/shared/calls.h"

/// Bodies that run a known number of times, one round after the other.
namespace benanza::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;

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

  /// The round's element of a sequence.
  Value* element(const Step& owner, std::size_t index, std::int64_t round) {
    const std::size_t input = first_ + states_ + index;
    const std::string& name = body_.input(static_cast<int>(input)).name();
    Value* const cut = rounds_ > 1 ? new_value(program_, owner, name + "_part") : nullptr;
    const NamedValue to{name, new_value(program_, owner, name)};
    add_element(program_, steps_, owner.node.name(),
                {step_.node.proto().input(static_cast<int>(input)), step_.inputs[input]}, to,
                from_[index].axis, from_[index].backwards ? rounds_ - 1 - round : round, cut);
    return to.value;
  }

  void add(std::int64_t round) {
    const Step owner = named_run(step_, round, rounds_);
    const bool is_last = round + 1 == rounds_;
    std::vector<Value*> arguments;
    if (leading_) {
      const auto number = [&](int input, int type, std::int64_t value) {
        return known_number(program_, owner, body_.input(input).name(), type, value);
      };
      arguments = {number(0, ::onnx::TensorProto::INT64, round),
                   number(1, ::onnx::TensorProto::BOOL, 1)};
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
    steps_.push_back(
        joined_step(program_, step_.node.name(), parts, result(index, all), to_[index].axis));
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

/// How often the body of a Loop or Scan runs, if inputs and shapes tell.
std::optional<std::int64_t> known_rounds(const Step& step) {
  const AttributeProto* const body = step.node.find("body");
  if (body == nullptr || !body->has_g()) return std::nullopt;
  if (step.node.full_type() == "Loop") return rounds_of_loop(step);
  if (step.node.full_type() == "Scan" && step.node.opset() >= 9) return rounds_of_scan(step);
  return std::nullopt;
}

/// The user's number of rounds of a Loop: dimension "LOOP:rounds", or axis 0 of what it collects.
/// Throws FlagError for more than the loop's limit.
const std::pair<const std::string, std::int64_t>* stated_rounds(const Step& step,
                                                                const ResolvedDims& bound) {
  if (step.node.full_type() != "Loop" || step.inputs.size() < 2) return nullptr;
  std::vector<std::string> names{step.node.name() + ":rounds",
                                 step.node.proto().name() + ":rounds"};
  for (std::size_t output = step.inputs.size() - 2; output < step.outputs.size(); ++output) {
    if (step.outputs[output] == nullptr) continue;
    names.push_back(step.outputs[output]->id + ":0");
    names.push_back(step.node.proto().output(static_cast<int>(output)) + ":0");
  }
  const auto name = std::ranges::find_if(
      names, [&](const std::string& name) { return bound.dims.contains(name); });
  if (name == names.end()) return nullptr;
  const auto& stated = *bound.dims.find(*name);
  const Value* const limit = step.inputs[0];
  const auto* const most = limit != nullptr && limit->literal && !limit->assumption
                               ? std::get_if<Dims>(&*limit->literal)
                               : nullptr;
  if (most != nullptr && most->size() == 1 && stated.second > most->front()) {
    throw FlagError("runs its body at most " + std::to_string(most->front()) + " times, not " +
                    std::to_string(stated.second));
  }
  return &stated;
}

}  // namespace

std::vector<Step> steps_of_rounds(Program& program, Step& step, const InferProgram& infer,
                                  const ResolvedDims& bound) {
  const auto* const stated = stated_rounds(step, bound);
  try {
    const std::string op = step.node.full_type();
    if (op == "SequenceMap") return steps_of_map(program, step);
    if (op == "Scan" && step.node.opset() < 9) return steps_of_batch(program, step);
    auto count = known_rounds(step);
    if (!count && stated != nullptr) {
      program.used_dims.insert(stated->first);
      count = stated->second;
    }
    if (!count) count = computed_rounds(program, step, infer);
    if (!count) return {};
    step.rounds = count;
    Rounds rounds(program, step, step.node.find("body")->g(), *count);
    if (*count == 0) {
      const bool has_states = step.node.op_type() == "Loop" && !rounds.collects();
      return has_states ? states_as_they_are(program, step) : std::vector<Step>{};
    }
    if (!may_add(program, *count, rounds.steps_per_round())) return {};
    std::vector<Step> steps = rounds.steps();
    keep_names(step);
    return steps;
  } catch (const std::exception& error) {
    step.misfit = message_of(error);
    return {};
  }
}

}  // namespace benanza::onnx
