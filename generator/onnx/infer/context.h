#pragma once

#include <onnx/defs/shape_inference.h>

#include <map>
#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// What an ONNX schema's inference function is told about one step: types of its inputs, values of
/// those that are already known, and room for the types of its outputs.
class NodeContext final : public ::onnx::InferenceContext {
 public:
  /// Both must outlive the context.
  NodeContext(const Program& program, const Step& step);

  /// Shows inference another value than input `index` has.
  void replace_data(std::size_t index, ::onnx::TensorProto value);
  const ::onnx::TypeProto& output_type(std::size_t index) const { return outputs_[index]; }

  const ::onnx::AttributeProto* getAttribute(const std::string& name) const override;
  size_t getNumInputs() const override { return inputs_.size(); }
  const ::onnx::TypeProto* getInputType(size_t index) const override;
  const ::onnx::TensorProto* getInputData(size_t index) const override;
  size_t getNumOutputs() const override { return outputs_.size(); }
  ::onnx::TypeProto* getOutputType(size_t index) override { return &outputs_.at(index); }
  ::onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    return nullptr;
  }
  const ::onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
  const ::onnx::TensorShapeProto* getSymbolicInput(size_t) const override { return nullptr; }

 private:
  const Node* node_;
  std::vector<const ::onnx::TypeProto*> inputs_;
  std::vector<const Tensor*> tensors_;
  /// Values that were asked for, or replaced.
  mutable std::map<std::size_t, ::onnx::TensorProto> data_;
  std::vector<::onnx::TypeProto> outputs_;
};

}  // namespace benanza::onnx
