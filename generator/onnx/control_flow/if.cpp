#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
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

}  // namespace

std::vector<Step> branch_steps(Program& program, const Step& conditional, bool condition) {
  const ::onnx::AttributeProto* attribute =
      conditional.node.find(condition ? "then_branch" : "else_branch");
  if (attribute == nullptr || !attribute->has_g()) throw Error("the branch it takes is missing");
  const ::onnx::GraphProto& graph = attribute->g();
  if (graph.output_size() < static_cast<int>(conditional.outputs.size())) {
    throw Error("its branch makes " + std::to_string(graph.output_size()) + " of " +
                std::to_string(conditional.outputs.size()) + " outputs");
  }
  keep_names(conditional);
  return body_steps(program, conditional, graph, {}, conditional.outputs);
}

void register_if(OperatorTable& table) {
  table.add("If", {.shapes = {{if_shape}}, .max_shapes = if_max_shapes});
}

}  // namespace benanza::onnx
