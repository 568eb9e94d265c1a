#include "generator/onnx/infer/context.h"

namespace benanza::onnx {

NodeContext::NodeContext(const Step& step) : step_(&step), outputs_(step.outputs.size()) {}

void NodeContext::replace_data(std::size_t index, ::onnx::TensorProto value) {
  data_[index] = std::move(value);
}

const ::onnx::AttributeProto* NodeContext::getAttribute(const std::string& name) const {
  return step_->node.find(name);
}

const Value* NodeContext::known_input(std::size_t index) const {
  const Value* input = index < step_->inputs.size() ? step_->inputs[index] : nullptr;
  return input != nullptr && input->has_type() ? input : nullptr;
}

const ::onnx::TypeProto* NodeContext::getInputType(size_t index) const {
  const Value* input = known_input(index);
  return input == nullptr ? nullptr : &input->value_type;
}

const ::onnx::TensorProto* NodeContext::getInputData(size_t index) const {
  if (const auto found = data_.find(index); found != data_.end()) return &found->second;
  const Value* input = known_input(index);
  if (input == nullptr || !input->literal || !input->shape) return nullptr;
  auto value = write_literal(*input->literal, input->type, *input->shape);
  return value ? &data_.emplace(index, std::move(*value)).first->second : nullptr;
}

}  // namespace benanza::onnx
