#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/control_flow/made_step.h"

/// A body that runs once for each tensor of a sequence.
namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;

/// How many tensors each sequence has; not set if a length is unknown.
std::optional<std::int64_t> length_of(const Step& map) {
  std::optional<std::int64_t> length;
  for (std::size_t index = 0; index < map.inputs.size(); ++index) {
    const Value* const value = map.inputs[index];
    if (value == nullptr) throw Error("an input is missing");
    if (!value->sequence) {
      if (index == 0 || !value->value_type.has_tensor_type()) return std::nullopt;
      continue;
    }
    const std::int64_t own = std::ssize(*value->sequence);
    if (length.value_or(own) != own) {
      throw Error("its sequences have " + std::to_string(*length) + " and " + std::to_string(own) +
                  " tensors");
    }
    length = own;
  }
  return length;
}

class Map {
 public:
  Map(Program& program, const Step& step, const GraphProto& body, std::int64_t length)
      : program_(program), step_(step), body_(body), length_(length) {
    if (body.input_size() < std::ssize(step.inputs) ||
        body.output_size() < std::ssize(step.outputs)) {
      throw Error("its body has " + std::to_string(body.input_size()) + " inputs and " +
                  std::to_string(body.output_size()) + " outputs");
    }
    made_.resize(step.outputs.size());
  }

  std::vector<Step> steps() {
    for (std::int64_t place = 0; place < length_; ++place) add(place);
    for (std::size_t output = 0; output < made_.size(); ++output) {
      if (step_.outputs[output] == nullptr) continue;
      const NamedValue to{step_.node.proto().output(static_cast<int>(output)),
                          step_.outputs[output]};
      steps_.push_back(made_step(program_, step_.node.name() + "/Sequence_" + to.name,
                                 node_of(length_ == 0 ? "SequenceEmpty" : "SequenceConstruct"),
                                 made_[output], to));
    }
    return std::move(steps_);
  }

 private:
  void add(std::int64_t place) {
    const Step owner = named_run(step_, place, length_);
    std::vector<Value*> arguments;
    for (std::size_t input = 0; input < step_.inputs.size(); ++input) {
      Value* const given = step_.inputs[input];
      arguments.push_back(given->sequence ? element(owner, input, place) : given);
    }
    std::vector<Value*> outputs;
    for (std::size_t output = 0; output < made_.size(); ++output) {
      const std::string& name = body_.output(static_cast<int>(output)).name();
      Value* const made =
          step_.outputs[output] == nullptr ? nullptr : new_value(program_, owner, name);
      outputs.push_back(made);
      if (made != nullptr) made_[output].push_back({name, made});
    }
    std::ranges::move(body_steps(program_, owner, body_, arguments, outputs, &constants_),
                      std::back_inserter(steps_));
  }

  Value* element(const Step& owner, std::size_t input, std::int64_t place) {
    const auto index = static_cast<int>(input);
    const std::string& name = body_.input(index).name();
    const std::string at = name + "_place";
    const NamedValue from{step_.node.proto().input(index), step_.inputs[input]};
    const NamedValue number{at,
                            known_number(program_, owner, at, ::onnx::TensorProto::INT64, place)};
    const NamedValue to{name, new_value(program_, owner, name)};
    steps_.push_back(made_step(program_, owner.node.name() + "/SequenceAt_" + name,
                               node_of("SequenceAt"), {from, number}, to));
    return to.value;
  }

  Program& program_;
  const Step& step_;
  const GraphProto& body_;
  std::int64_t length_;
  BodyConstants constants_;
  /// What the runs made of each output.
  std::vector<std::vector<NamedValue>> made_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> steps_of_map(Program& program, const Step& step) {
  const ::onnx::AttributeProto* const body = step.node.find("body");
  const auto length = length_of(step);
  if (!length || body == nullptr || !body->has_g()) return {};
  const std::int64_t each = body->g().node_size() + std::ssize(step.inputs) + 1;
  if (!may_add(program, *length, each)) return {};
  std::vector<Step> steps = Map(program, step, body->g(), *length).steps();
  keep_names(step);
  return steps;
}

}  // namespace benanza::onnx
