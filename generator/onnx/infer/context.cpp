#include "generator/onnx/infer/context.h"

namespace benanza::onnx {

NodeContext::NodeContext(const Program& program, const Step& step)
    : node_(&step.node), tensors_(input_tensors(program, step)), outputs_(step.outputs.size()) {
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    const std::string& name = step.inputs[index];
    const auto type = program.types.find(name);
    inputs_.push_back(name.empty() || type == program.types.end() ? nullptr : &type->second);
    if (inputs_.back() == nullptr) tensors_[index] = nullptr;
  }
}

void NodeContext::replace_data(std::size_t index, ::onnx::TensorProto value) {
  data_[index] = std::move(value);
}

const ::onnx::AttributeProto* NodeContext::getAttribute(const std::string& name) const {
  return node_->find(name);
}

const ::onnx::TypeProto* NodeContext::getInputType(size_t index) const {
  return index < inputs_.size() ? inputs_[index] : nullptr;
}

const ::onnx::TensorProto* NodeContext::getInputData(size_t index) const {
  if (const auto found = data_.find(index); found != data_.end()) return &found->second;
  const Tensor* tensor = index < tensors_.size() ? tensors_[index] : nullptr;
  if (tensor == nullptr || !tensor->literal || !tensor->shape) return nullptr;
  auto value = write_literal(*tensor->literal, tensor->type, *tensor->shape);
  return value ? &data_.emplace(index, std::move(*value)).first->second : nullptr;
}

}  // namespace benanza::onnx
