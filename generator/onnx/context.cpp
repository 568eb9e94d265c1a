#include "onnx/context.h"

namespace benanza {

NodeContext::NodeContext(const Program& program, const Step& step)
    : node_(&step.node), outputs_(step.outputs.size()) {
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    const std::string& name = step.inputs[index];
    const auto type = program.types.find(name);
    inputs_.push_back(name.empty() || type == program.types.end() ? nullptr : &type->second);
    if (inputs_.back() == nullptr) continue;
    const Tensor& tensor = program.tensors.at(name);
    if (!tensor.literal || !tensor.shape) continue;
    if (auto value = write_literal(*tensor.literal, tensor.type, *tensor.shape)) {
      data_[index] = std::move(*value);
    }
  }
}

void NodeContext::replace_data(std::size_t index, onnx::TensorProto value) {
  data_[index] = std::move(value);
}

const onnx::AttributeProto* NodeContext::getAttribute(const std::string& name) const {
  return node_->find(name);
}

const onnx::TypeProto* NodeContext::getInputType(size_t index) const {
  return index < inputs_.size() ? inputs_[index] : nullptr;
}

const onnx::TensorProto* NodeContext::getInputData(size_t index) const {
  const auto found = data_.find(index);
  return found != data_.end() ? &found->second : nullptr;
}

}  // namespace benanza
