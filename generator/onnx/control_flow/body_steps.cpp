#include <algorithm>
#include <functional>
#include <set>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/model/subgraph.h"

/// Bodies whose nodes run exactly once, as part of the program.
namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// Maps names in a body to values of the program.
class BodyNames {
 public:
  BodyNames(Program& program, const Step& owner) : program_(program), owner_(owner) {
    meaning_ = owner.scope;
  }

  /// Defines `stated` in the body: as an output or a new value.
  Value* define(const std::string& stated) {
    if (stated.empty()) return nullptr;
    if (const auto made = outputs_.find(stated); made != outputs_.end()) {
      return meaning_[stated] = made->second;
    }
    return meaning_[stated] = new_value(program_, owner_, stated);
  }

  /// Makes `stated` refer to `value`, which is there before the body runs.
  void make_argument(const std::string& stated, Value* value) { meaning_[stated] = value; }
  /// Makes `stated`, once the body defines it, refer to `value`.
  void make_output(const std::string& stated, Value* value) { outputs_[stated] = value; }

  Value* read(const std::string& stated) const {
    if (stated.empty()) return nullptr;
    const auto found = meaning_.find(stated);
    if (found == meaning_.end()) {
      throw Error("a branch reads \"" + stated + "\", which nobody makes");
    }
    return found->second;
  }

 private:
  Program& program_;
  const Step& owner_;
  std::map<std::string, Value*> meaning_;
  std::map<std::string, Value*> outputs_;
};

Step identity(Program& program, const Step& owner, const std::string& from, const Value& to,
              std::size_t index) {
  auto proto = std::make_unique<NodeProto>();
  proto->set_op_type("Identity");
  proto->add_input(from);
  proto->add_output(to.id);
  program.made.push_back(std::move(proto));
  const std::string name = owner.node.name() + "/output_" + std::to_string(index);
  return {Node(*program.made.back(), name, owner.node.opset())};
}

/// What the body's own nodes make.
std::set<std::string> made_by(const GraphProto& graph,
                              const std::function<bool(const NodeProto&)>& is_shared) {
  std::set<std::string> made;
  for (const NodeProto& inner : graph.node()) {
    if (!is_shared(inner)) made.insert(inner.output().begin(), inner.output().end());
  }
  return made;
}

}  // namespace

void keep_names(const Step& step) {
  for (std::size_t index = 0; index < step.outputs.size(); ++index) {
    Value* const value = step.outputs[index];
    if (value == nullptr || !value->name.empty()) continue;
    value->name = step.node.proto().output(static_cast<int>(index));
  }
}

Value* new_value(Program& program, const Step& owner, const std::string& stated) {
  std::string id = owner.node.name() + '/' + stated;
  while (program.values.contains(id)) id += '\'';
  Value* const value = program.value(id);
  value->inner = true;
  return value;
}

std::vector<Step> body_steps(Program& program, const Step& owner, const GraphProto& graph,
                             const std::vector<Value*>& arguments,
                             const std::vector<Value*>& outputs, BodyConstants* constants) {
  BodyNames names(program, owner);
  for (int index = 0; index < graph.input_size(); ++index) {
    const auto place = static_cast<std::size_t>(index);
    if (place < arguments.size()) names.make_argument(graph.input(index).name(), arguments[place]);
  }
  const bool is_first = constants == nullptr || constants->empty();
  const auto is_shared = [&](const NodeProto& inner) {
    return constants != nullptr && inner.op_type() == "Constant" && inner.output_size() == 1;
  };
  const std::set<std::string> made = made_by(graph, is_shared);
  // The body's nodes write directly to the outputs, where possible.
  std::vector<std::size_t> copies;
  std::set<std::string> handed_out;
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    if (outputs[index] == nullptr) continue;
    const std::string& stated = graph.output(static_cast<int>(index)).name();
    if (made.contains(stated) && handed_out.insert(stated).second) {
      names.make_output(stated, outputs[index]);
    } else {
      copies.push_back(index);
    }
  }
  if (is_first) {
    add_initializers(program, graph, [&](const std::string& stated) {
      Value* const value = names.define(stated);
      if (constants != nullptr) constants->emplace(stated, value);
      return value;
    });
  } else {
    for (const auto& [stated, value] : *constants) names.make_argument(stated, value);
  }
  const std::vector<std::string> node_names = unique_names(graph);
  std::vector<Step> steps;
  for (int index = 0; index < graph.node_size(); ++index) {
    const NodeProto& inner = graph.node(index);
    if (is_shared(inner) && !is_first) continue;
    const std::string name = owner.node.name() + '/' + node_names[static_cast<std::size_t>(index)];
    Step step{Node(inner, name, opset_of(inner, program.opsets).value_or(0))};
    for (const std::string& name : inner.input()) step.inputs.push_back(names.read(name));
    for (const std::string& name : captured_names(inner)) {
      step.captured.push_back(names.read(name));
      step.scope[name] = step.captured.back();
    }
    for (const std::string& name : inner.output()) step.outputs.push_back(names.define(name));
    if (is_shared(inner)) constants->emplace(inner.output(0), step.outputs[0]);
    steps.push_back(std::move(step));
  }
  for (const std::size_t index : copies) {
    const std::string& stated = graph.output(static_cast<int>(index)).name();
    steps.push_back(identity(program, owner, stated, *outputs[index], index));
    steps.back().inputs = {names.read(stated)};
    steps.back().outputs = {outputs[index]};
  }
  for (const Step& step : steps) mark_consumed(step);
  return steps;
}

}  // namespace benanza::onnx
