#include <onnx/onnx_pb.h>

#include "onnx/program.h"
#include "onnx/shapes/table.h"

/// Operators with bodies: what the bodies themselves state about their results.
namespace benanza::shapes {
namespace {

std::vector<TensorFacts> stated_outputs(const Site& site, std::string_view body) {
  const onnx::AttributeProto* attribute = site.node().find(body);
  if (attribute == nullptr || !attribute->has_g()) return {};
  std::vector<TensorFacts> facts;
  for (const auto& output : attribute->g().output()) {
    const Tensor tensor = make_tensor(output.name(), output.type());
    facts.push_back({tensor.type, tensor.shape});
  }
  return facts;
}

/// The branches must agree.
std::vector<TensorFacts> conditional(const Site& site) {
  const auto first = stated_outputs(site, "then_branch");
  const auto second = stated_outputs(site, "else_branch");
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

/// What goes round keeps the shape the body states; what is collected has the number of rounds
/// before it.
std::vector<TensorFacts> loop(const Site& site) {
  auto facts = stated_outputs(site, "body");
  if (facts.empty()) return facts;
  facts.erase(facts.begin());  // whether to go on
  const std::size_t carried = site.input_count() < 2 ? 0 : site.input_count() - 2;
  for (std::size_t index = carried; index < facts.size(); ++index) facts[index].shape.reset();
  return facts;
}

}  // namespace

void register_subgraph(ShapeTable& table) {
  table.add("If", conditional);
  table.add("Loop", loop);
}

}  // namespace benanza::shapes
