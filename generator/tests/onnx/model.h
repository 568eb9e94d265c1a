#pragma once

#include <onnx/onnx_pb.h>

#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "generator/onnx/import.h"

namespace benanza::onnx {

using Attribute = std::variant<std::int64_t, float, std::string, Dims, std::vector<float>>;
using Attributes = std::initializer_list<std::pair<const char*, Attribute>>;

/// Builds small models for tests. Weights are zeros.
class Model {
 public:
  explicit Model(int opset);

  /// Negative extents stay open: -1 without a name, all others under the name "N".
  Model& input(const std::string& name, const Dims& dims, int type = ::onnx::TensorProto::FLOAT);
  Model& weights(const std::string& name, const Dims& dims);
  Model& integers(const std::string& name, const Dims& values);
  Model& scalar(const std::string& name, float value);
  /// Weights with values; without axes, one number.
  Model& reals(const std::string& name, const Dims& dims, const std::vector<float>& values);
  Model& truths(const std::string& name, const Dims& dims, const std::vector<bool>& values);
  /// Adds a node named after its first output; "" omits an input or output.
  Model& node(const std::string& op_type, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs, Attributes attributes = {});
  Model& output(const std::string& name);
  Model& domain(const std::string& domain, int version);

  ::onnx::ModelProto& proto() { return proto_; }
  ::onnx::NodeProto& last() { return *graph().mutable_node(graph().node_size() - 1); }
  ::onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  /// Throws Error, with the warning, if a node cannot be read.
  LoweredGraph import(const Binding& binding = {}) const;
  LoweredGraph import_what_can_be_read(const Binding& binding = {}) const;
  /// The layer of the last node.
  LoweredLayer layer(const Binding& binding = {}) const { return import(binding).layers.back(); }

 private:
  ::onnx::ModelProto proto_;
};

/// Adds an empty body to the model's last node.
::onnx::GraphProto& body_of(Model& model, const std::string& name);
/// The body in the first attribute of the model's last node.
::onnx::GraphProto& body_of_last(Model& model);
::onnx::NodeProto& add_node(::onnx::GraphProto& graph, const std::string& op,
                            const std::vector<std::string>& inputs, const std::string& output);

/// Throws Error if there is none.
const LoweredLayer& named(const LoweredGraph& graph, const std::string& name);

inline std::vector<std::string> names(const LoweredGraph& graph) {
  std::vector<std::string> result;
  for (const LoweredLayer& layer : graph.layers) result.push_back(layer.name);
  return result;
}

}  // namespace benanza::onnx
