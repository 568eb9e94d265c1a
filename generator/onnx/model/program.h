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

struct Value;

/// A tensor in a sequence, or a part of one: `size` elements of `axis` from `start` on. With
/// `drops_axis`, the part has a single element on that axis and is without it.
struct SequencePart {
  struct Cut {
    std::int64_t axis = 0;
    std::int64_t start = 0;
    std::int64_t size = 0;
    bool drops_axis = false;
  };
  Value* tensor = nullptr;
  std::optional<Cut> cut = {};
};

/// A tensor, or a sequence of tensors, that a node reads or produces.
struct Value : Tensor {
  /// Unique in the program; Tensor::name is the name in the model.
  std::string id = {};
  /// Not set if unknown; initially set only for graph inputs and initializers.
  ::onnx::TypeProto value_type = {};
  /// A graph input or initializer: no node produces it.
  bool given = false;
  /// A node reads it, or it is a graph output.
  bool consumed = false;
  /// A graph output.
  bool is_output = false;
  /// Made in a body that is read as part of the program. What the graph around the body states
  /// under the same name is another value.
  bool inner = false;
  /// For a constant widened to another batch size (see widen_constants): the model's own value.
  const Value* original = nullptr;
  /// An initializer as the model holds it, with or without values.
  const ::onnx::TensorProto* stored = nullptr;
  /// Of a constant that the model holds without its zeros: the elements that it holds.
  std::optional<std::int64_t> nonzeros = {};
  /// The first initializer of the same bytes of another file, if this one is not it.
  const Value* shared = nullptr;
  /// For a sequence of known length: its tensors.
  std::optional<std::vector<SequencePart>> sequence = {};

  bool has_type() const { return value_type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET; }
};

/// A step of a program: a node and the values it reads and produces, null for omitted optional
/// inputs and outputs.
struct Step {
  Node node;
  std::vector<Value*> inputs = {};
  /// Values of this graph that the node's subgraphs read.
  std::vector<Value*> captured = {};
  std::vector<Value*> outputs = {};
  /// The captured values, by their names in the subgraphs.
  std::map<std::string, Value*> scope = {};
  /// For a node from a branch of an If: the first assumption that the choice depends on.
  std::optional<std::size_t> assumption = {};
  /// Why inference failed, e.g. for a node that cannot be read; its output shapes may be unknown.
  std::string misfit = {};
  /// Of a body that runs round by round.
  bool of_round = false;
  /// Of an Identity in the place of a step that computes the same as an earlier one: that one's
  /// name, and the step's operator.
  std::string same_as = {};
  std::string same_op = {};
  /// How often a Loop or Scan runs its body, if known.
  std::optional<std::int64_t> rounds = {};
};

/// The nodes of a model in topological order (in file order if that is one). Refers to the model,
/// which must outlive it.
struct Program {
  /// The path, with which every error message starts.
  std::string where;
  int opset = 0;
  std::vector<Step> steps;
  /// All values, by id. Steps point to them: none is ever erased.
  std::unordered_map<std::string, Value> values;
  /// Opset versions by canonical domain.
  std::unordered_map<std::string, int> opsets;
  /// Data-dependent dimensions for which the user gave no value, assumed at their largest.
  std::vector<Assumption> assumptions;
  /// Nesting depth: 0 for a model, 1 for the body of one of its nodes, and so on.
  int depth = 0;
  /// Steps that loops read round by round have added.
  std::int64_t unrolled = 0;
  /// Keys of ResolvedDims::dims that inference used.
  std::set<std::string> used_dims;
  /// The first initializer of each part of another file, by where it is.
  std::map<std::string, const Value*> external;
  /// Nodes created here, which are not in the model.
  std::vector<std::unique_ptr<::onnx::NodeProto>> made;
  /// Steps that cannot be read and become unsupported layers: `where`, the node, and what is wrong.
  std::vector<std::string> unreadable;
  /// Warnings for the user: whole lines that start with `where`.
  std::vector<std::string> warnings;

  /// The value with that id, created if there is none; null for an empty id.
  Value* value(const std::string& id);
};

/// Throws Error, starting with `where`, for a cycle, a tensor that no node produces, an input or
/// initializer that a node produces, a standard operator if the model names no opset for them, and
/// initializers with impossible shapes.
Program make_program(const ::onnx::ModelProto& model, const std::string& where);

/// The start of messages about a node: `where: node "conv7" (Conv): `
std::string label(const Program& program, const Node& node);

/// The step's inputs and outputs, in order; null if omitted. With `consumed_only`, unread outputs
/// are null, too.
std::vector<const Tensor*> input_tensors(const Step& step);
std::vector<const Tensor*> output_tensors(const Step& step, bool consumed_only);
/// A view of the step's node with its inputs; all outputs are null.
NodeView inputs_view(const Step& step);

/// Marks the step's inputs and captured values as consumed.
void mark_consumed(const Step& step);

/// A tensor type. Without `shape`, its shape is unknown.
::onnx::TypeProto make_type(int element_type, const std::optional<Dims>& shape);

/// A tensor with the element type of `type` and, if every extent is known, its shape.
Tensor make_tensor(std::string name, const ::onnx::TypeProto& type);

}  // namespace benanza::onnx
