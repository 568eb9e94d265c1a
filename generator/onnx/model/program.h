#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/model/tensor.h"

namespace benanza::onnx {

/// A tensor, or a sequence of tensors, that a node reads or makes.
struct Value : Tensor {
  /// Unique in the program; Tensor::name is the model's own.
  std::string id = {};
  /// As far as known; not set where it is not. At first of inputs and initializers; inference adds
  /// the rest.
  ::onnx::TypeProto value_type = {};
  /// An input or an initializer: no node makes it.
  bool given = false;
  /// A node or the caller reads it.
  bool consumed = false;
  /// The caller reads it.
  bool is_output = false;
  /// Of a constant that is read as if it had been made for another batch: what the model has.
  const Value* original = nullptr;
  /// Of a sequence whose length is known: types of its tensors.
  std::optional<std::vector<::onnx::TypeProto>> sequence = {};

  bool has_type() const { return value_type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET; }
};

/// A step of a program: a node and the values it reads and makes; null where an optional input or
/// output is left out.
struct Step {
  Node node;
  std::vector<Value*> inputs = {};
  /// Values of this graph that the node's subgraphs read.
  std::vector<Value*> captured = {};
  std::vector<Value*> outputs = {};
  /// The captured values, by the names that the subgraphs read them under.
  std::map<std::string, Value*> scope = {};
  /// Of a node in a branch: the first assumption that the choice of the branch rests on.
  std::optional<std::size_t> assumption = {};
  /// Why the shapes of its results are not known, though those of its inputs are assumed.
  std::string misfit = {};
};

/// The nodes of a model in topological order (file order where that is one). Refers to the model,
/// which must outlive it.
struct Program {
  /// Begins every error message: the path.
  std::string where;
  int opset = 0;
  std::vector<Step> steps;
  /// Every value, by its id. Steps point into it: none is ever erased.
  std::unordered_map<std::string, Value> values;
  /// Versions of the operator sets by canonical domain.
  std::unordered_map<std::string, int> opsets;
  /// Dimensions that depend on the data and that the user did not state, taken at their largest.
  std::vector<Assumption> assumptions;
  /// How many bodies of other programs it lies in.
  int depth = 0;
  /// Names of Binding::dims that inference found.
  std::set<std::string> used_dims;
  /// Nodes that the model does not have.
  std::vector<std::unique_ptr<::onnx::NodeProto>> made;
  /// Warnings for the user, whole lines that begin with `where`.
  std::vector<std::string> warnings;

  /// The value of that id, made if there is none; null for an empty name.
  Value* value(const std::string& id);
};

/// Throws Error, beginning with `where`, for a cycle, a tensor that no node makes, an input
/// that a node makes, a node of a domain without opset, and initializers with impossible shapes.
Program make_program(const ::onnx::ModelProto& model, const std::string& where);

/// `where: node "conv7" (Conv): `
std::string label(const Program& program, const Node& node);

/// The step's inputs and outputs, in order; null where they are left out. With `consumed_only`,
/// unread outputs are null, too.
std::vector<const Tensor*> input_tensors(const Step& step);
std::vector<const Tensor*> output_tensors(const Step& step, bool consumed_only);
/// The step's node, of which only the inputs are known.
NodeView inputs_view(const Step& step);

/// Notes that the step reads its inputs and what its subgraphs read.
void mark_consumed(const Step& step);

/// The type of a tensor; without a shape, of any.
::onnx::TypeProto make_type(int element_type, const std::optional<Dims>& shape);

/// A tensor with the element type and, where every extent is known, the shape of `type`.
Tensor make_tensor(std::string name, const ::onnx::TypeProto& type);

}  // namespace benanza::onnx
