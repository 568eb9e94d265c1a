#pragma once

#include <onnx/defs/shape_inference.h>
#include <onnx/onnx_pb.h>

#include <map>
#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// A step as the inference function of an ONNX schema sees it: types of its inputs, values of those
/// already known, and storage for the types of its outputs.
class NodeContext final : public ::onnx::InferenceContext {
 public:
  /// `step` must outlive the context.
  explicit NodeContext(const Step& step);

  /// Shows inference `value` as the value of input `index`.
  void replace_data(std::size_t index, ::onnx::TensorProto value);
  const ::onnx::TypeProto& output_type(std::size_t index) const { return outputs_[index]; }

  const ::onnx::AttributeProto* getAttribute(const std::string& name) const override;
  size_t getNumInputs() const override { return step_->inputs.size(); }
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
  /// Null if omitted or of unknown type.
  const Value* known_input(std::size_t index) const;

  const Step* step_;
  /// Values that were requested or replaced.
  mutable std::map<std::size_t, ::onnx::TensorProto> data_;
  std::vector<::onnx::TypeProto> outputs_;
};

/// Types of the step's outputs as inferred by the installed schemas; not set if they infer none.
/// Operators newer than the schemas use the newest schema. `known`: the operator's entry, or null.
/// Throws Error if the node does not match its schema or shapes do not fit.
std::vector<::onnx::TypeProto> schema_types(const Step& step, const ResolvedDims& bound,
                                            const Operator* known);

}  // namespace benanza::onnx
