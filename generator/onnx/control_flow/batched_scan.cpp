#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/control_flow/made_step.h"

/// A Scan of opset 8, whose states and sequences begin with a batch. Its first input, which may be
/// omitted, says how long each entry's sequences are.
/// And a SequenceMap, whose body runs once for each tensor of a sequence.
namespace benanza::onnx {
namespace {

using ::onnx::NodeProto;

constexpr std::size_t first_input = 1;

/// The batch of all inputs; not set if an extent is unknown.
std::optional<std::int64_t> batch_of(const Step& scan) {
  std::optional<std::int64_t> batch;
  for (std::size_t index = first_input; index < scan.inputs.size(); ++index) {
    const Value* const value = scan.inputs[index];
    if (value == nullptr) throw Error("an input is missing");
    if (!value->shape) return std::nullopt;
    if (value->shape->empty()) throw Error("\"" + value->name + "\" has no batch");
    const std::int64_t own = value->shape->front();
    if (batch.value_or(own) != own) {
      throw Error("its inputs have " + std::to_string(*batch) + " and " + std::to_string(own) +
                  " entries");
    }
    batch = own;
  }
  return batch;
}

void check_scan_lengths(const Step& scan) {
  const Value* const lengths = scan.inputs[0];
  if (lengths == nullptr) return;
  const auto* const values = lengths->literal ? std::get_if<Dims>(&*lengths->literal) : nullptr;
  if (values == nullptr) {
    throw Error("lengths that are only known when the model runs (sequence_lens)");
  }
  const Dims& sequence = *scan.inputs.back()->shape;
  if (sequence.size() < 2) throw Error("a sequence has no steps");
  if (std::ranges::any_of(*values, [&](auto length) { return length != sequence[1]; })) {
    throw Error("sequences shorter than the input (sequence_lens)");
  }
}

/// The entries of a batch, one Scan of opset 9 after the other.
class Entries {
 public:
  Entries(Program& program, const Step& step, std::int64_t batch)
      : program_(program), step_(step), batch_(batch), parts_(step.outputs.size()) {}

  std::vector<Step> steps() {
    for (std::int64_t entry = 0; entry < batch_; ++entry) add(entry);
    for (std::size_t output = 0; output < parts_.size() && batch_ > 1; ++output) {
      if (step_.outputs[output] == nullptr) continue;
      steps_.push_back(joined_step(program_, step_.node.name(), parts_[output], result(output), 0));
    }
    return std::move(steps_);
  }

 private:
  NamedValue result(std::size_t output) const {
    return {step_.node.proto().output(static_cast<int>(output)), step_.outputs[output]};
  }

  void add(std::int64_t entry) {
    const Step owner = named_run(step_, entry, batch_);
    auto proto = node_of("Scan");
    for (const auto& attribute : step_.node.proto().attribute()) {
      auto& own = *proto->add_attribute();
      own = attribute;
      if (own.name() == "directions") own.set_name("scan_input_directions");
    }
    program_.made.push_back(std::move(proto));
    NodeProto& scanning = *program_.made.back();
    Step scan = owner;
    scan.inputs.clear();
    scan.outputs.clear();
    for (std::size_t index = first_input; index < step_.inputs.size(); ++index) {
      const std::string& stated = step_.node.proto().input(static_cast<int>(index));
      Value* const cut = batch_ > 1 ? new_value(program_, owner, stated + "_part") : nullptr;
      const NamedValue to{stated + "_entry", new_value(program_, owner, stated)};
      add_element(program_, steps_, owner.node.name(), {stated, step_.inputs[index]}, to, 0, entry,
                  cut);
      scanning.add_input(to.name);
      scan.inputs.push_back(to.value);
    }
    std::vector<Step> after;
    for (std::size_t output = 0; output < step_.outputs.size(); ++output) {
      const std::string& stated = step_.node.proto().output(static_cast<int>(output));
      scanning.add_output(stated);
      scan.outputs.push_back(nullptr);
      if (step_.outputs[output] == nullptr) continue;
      scan.outputs.back() = new_value(program_, owner, stated);
      const NamedValue part =
          batch_ == 1 ? result(output)
                      : NamedValue{stated + "_part", new_value(program_, owner, stated + "_part")};
      auto unsqueeze = node_of("Unsqueeze");
      set_integers(*unsqueeze, "axes", 0);
      after.push_back(made_step(program_, owner.node.name() + "/Unsqueeze_" + stated,
                                std::move(unsqueeze), {{stated, scan.outputs.back()}}, part));
      parts_[output].push_back(part);
    }
    scan.node = Node(scanning, owner.node.name(), 9);
    mark_consumed(scan);
    steps_.push_back(std::move(scan));
    std::ranges::move(after, std::back_inserter(steps_));
  }

  Program& program_;
  const Step& step_;
  std::int64_t batch_;
  std::vector<std::vector<NamedValue>> parts_;
  std::vector<Step> steps_;
};

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

std::vector<Step> steps_of_batch(Program& program, const Step& step) {
  const std::int64_t sequences = step.node.integer("num_scan_inputs", 0);
  const std::int64_t inputs = std::ssize(step.inputs) - std::int64_t{first_input};
  if (sequences < 1 || sequences > inputs) throw Error("num_scan_inputs is impossible");
  const auto batch = batch_of(step);
  if (!batch || *batch == 0) return {};
  check_scan_lengths(step);
  if (!may_add(program, *batch, 2 * inputs + 2 * std::ssize(step.outputs) + 1)) return {};
  std::vector<Step> steps = Entries(program, step, *batch).steps();
  keep_names(step);
  return steps;
}

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
