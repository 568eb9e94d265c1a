#include "generator/onnx/body.h"

#include "generator/onnx/program.h"

namespace benanza::onnx {

std::vector<Tensor> stated_outputs(const Node& node, std::string_view name) {
  const ::onnx::AttributeProto* attribute = node.find(name);
  if (attribute == nullptr || !attribute->has_g()) return {};
  std::vector<Tensor> outputs;
  for (const auto& output : attribute->g().output()) {
    outputs.push_back(make_tensor(output.name(), output.type()));
  }
  return outputs;
}

}  // namespace benanza::onnx
