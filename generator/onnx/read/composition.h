#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace benanza::onnx {

/// An operator whose parts run at different precisions, as nodes that do it.
struct Composition {
  /// Named as the operator; imports the least opsets that its nodes need. The last node gets the
  /// name of the node that is replaced.
  ::onnx::FunctionProto function{};
  /// So many of the first inputs must be there.
  int required_inputs = 0;
};

/// One of ONNX Runtime's domain, still without nodes, for models with opset 11 and later.
Composition composed(const char* op, int required_inputs, const std::vector<const char*>& inputs,
                     const std::vector<const char*>& outputs);
/// Appends a node named like `op`.
::onnx::NodeProto& add_part(Composition& composition, const char* op, const char* domain,
                            const std::vector<const char*>& inputs,
                            const std::vector<const char*>& outputs);

/// Whether `composition` does all that `node` states: not if the node has attributes, inputs or
/// outputs that it has not, or lacks a required input.
bool does(const Composition& composition, const ::onnx::NodeProto& node);

/// Those that the model may use: it imports their opsets, and has no function of that name.
std::vector<Composition> usable(std::vector<Composition> compositions,
                                const ::onnx::ModelProto& model);

/// Which of several functions of one name a call means, or a function is; mostly empty.
std::string overload_of(const ::onnx::NodeProto& call);
std::string overload_of(const ::onnx::FunctionProto& function);

/// The attributes of a function that have defaults. Throws Error for a default that is no
/// attribute.
std::vector<::onnx::AttributeProto> defaults_of(const ::onnx::FunctionProto& function);

}  // namespace benanza::onnx
