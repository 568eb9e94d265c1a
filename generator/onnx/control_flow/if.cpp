#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/model/subgraph.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Types and shapes on which both branches agree.
std::vector<TensorFacts> if_shape(const NodeView& node) {
  const auto first = body_facts(node, "then_branch");
  const auto second = body_facts(node, "else_branch");
  std::vector<TensorFacts> facts;
  for (std::size_t index = 0; index < std::min(first.size(), second.size()); ++index) {
    if (first[index].type != second[index].type || first[index].type == 0) {
      facts.push_back({});
    } else if (first[index].shape != second[index].shape) {
      facts.push_back({first[index].type, {}});
    } else {
      facts.push_back(first[index]);
    }
  }
  return facts;
}

/// The larger of the branches' extents, axis by axis.
std::vector<std::optional<MaxShape>> if_max_shapes(const NodeView& node) {
  const std::vector<Tensor> first = stated_outputs(node, "then_branch");
  const std::vector<Tensor> second = stated_outputs(node, "else_branch");
  std::vector<std::optional<MaxShape>> results;
  for (std::size_t index = 0; index < std::min(first.size(), second.size()); ++index) {
    auto& result = results.emplace_back();
    const std::optional<Dims>& a = first[index].shape;
    const std::optional<Dims>& b = second[index].shape;
    if (!a || !b || a->size() != b->size() || first[index].type != second[index].type) continue;
    result = MaxShape{first[index].type, {}, {}};
    for (std::size_t axis = 0; axis < a->size(); ++axis) {
      result->shape.push_back(std::max((*a)[axis], (*b)[axis]));
      if ((*a)[axis] != (*b)[axis]) result->open.push_back(axis);
    }
  }
  return results;
}

using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// Maps names in a branch to values of the program.
class BranchNames {
 public:
  BranchNames(Program& program, const Step& conditional)
      : program_(program), conditional_(conditional), meaning_(conditional.scope) {}

  /// Defines `stated` in the branch: as an output of the If or a new value.
  Value* define(const std::string& stated) {
    if (stated.empty()) return nullptr;
    if (const auto made = outputs_.find(stated); made != outputs_.end()) {
      return meaning_[stated] = made->second;
    }
    std::string id = conditional_.node.name() + '/' + stated;
    while (program_.values.contains(id)) id += '\'';
    return meaning_[stated] = program_.value(id);
  }

  /// Makes `stated`, once the branch defines it, refer to `value`.
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
  const Step& conditional_;
  std::map<std::string, Value*> meaning_;
  std::map<std::string, Value*> outputs_;
};

Step identity(Program& program, const Step& conditional, const std::string& from,
              std::size_t index) {
  auto proto = std::make_unique<NodeProto>();
  proto->set_op_type("Identity");
  proto->add_input(from);
  proto->add_output(conditional.node.proto().output(static_cast<int>(index)));
  program.made.push_back(std::move(proto));
  const std::string name = conditional.node.name() + "/output_" + std::to_string(index);
  return {Node(*program.made.back(), name, conditional.node.opset())};
}

}  // namespace

std::vector<Step> branch_steps(Program& program, const Step& conditional, bool condition) {
  const Node& node = conditional.node;
  const ::onnx::AttributeProto* attribute = node.find(condition ? "then_branch" : "else_branch");
  if (attribute == nullptr || !attribute->has_g()) throw Error("the branch it takes is missing");
  const GraphProto& graph = attribute->g();
  if (graph.output_size() < static_cast<int>(conditional.outputs.size())) {
    throw Error("its branch makes " + std::to_string(graph.output_size()) + " of " +
                std::to_string(conditional.outputs.size()) + " outputs");
  }
  BranchNames names(program, conditional);
  std::set<std::string> made;
  for (const NodeProto& inner : graph.node()) {
    made.insert(inner.output().begin(), inner.output().end());
  }
  // The branch's nodes write directly to the If's outputs, where possible.
  std::vector<std::size_t> copies;
  std::set<std::string> handed_out;
  for (std::size_t index = 0; index < conditional.outputs.size(); ++index) {
    const std::string& stated = graph.output(static_cast<int>(index)).name();
    if (conditional.outputs[index] == nullptr) continue;
    if (made.contains(stated) && handed_out.insert(stated).second) {
      names.make_output(stated, conditional.outputs[index]);
    } else {
      copies.push_back(index);
    }
  }
  add_initializers(program, graph, [&](const std::string& stated) { return names.define(stated); });
  const std::vector<std::string> node_names = unique_names(graph);
  std::vector<Step> steps;
  for (int index = 0; index < graph.node_size(); ++index) {
    const NodeProto& inner = graph.node(index);
    const auto version = program.opsets.find(canonical_domain(inner.domain()));
    Step step{Node(inner, node.name() + '/' + node_names[static_cast<std::size_t>(index)],
                   version == program.opsets.end() ? 0 : version->second)};
    for (const std::string& name : inner.input()) step.inputs.push_back(names.read(name));
    for (const std::string& name : captured_names(inner)) {
      step.captured.push_back(names.read(name));
      step.scope[name] = step.captured.back();
    }
    for (const std::string& name : inner.output()) step.outputs.push_back(names.define(name));
    steps.push_back(std::move(step));
  }
  for (const std::size_t index : copies) {
    const std::string& stated = graph.output(static_cast<int>(index)).name();
    Step step = identity(program, conditional, stated, index);
    step.inputs = {names.read(stated)};
    step.outputs = {conditional.outputs[index]};
    steps.push_back(std::move(step));
  }
  for (const Step& step : steps) mark_consumed(step);
  return steps;
}

void register_if(OperatorTable& table) {
  table.add("If", {.shapes = {{if_shape}}, .max_shapes = if_max_shapes});
}

}  // namespace benanza::onnx
