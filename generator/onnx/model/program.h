#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node.h"
#include "generator/onnx/model/tensor.h"

namespace benanza::onnx {

/// A step of a program: a node and the tensors it reads and makes, by names that are unique in the
/// program (Tensor::name is the model's own). Names are empty where an optional input or output is
/// left out.
struct Step {
  Node node;
  std::vector<std::string> inputs;
  /// Tensors of this graph that the node's subgraphs read.
  std::vector<std::string> captured;
  std::vector<std::string> outputs;
  /// What names of the model that the subgraphs read mean: captured, by the model's own names.
  std::map<std::string, std::string> scope;
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
  /// Types as far as known: at first of inputs and initializers; inference adds the rest.
  std::unordered_map<std::string, ::onnx::TypeProto> types;
  std::unordered_map<std::string, Tensor> tensors;
  /// Tensors that a node or the caller reads.
  std::set<std::string> consumed;
  /// Tensors that the caller reads.
  std::set<std::string> outputs;
  /// Versions of the operator sets by canonical domain.
  std::unordered_map<std::string, int> opsets;
  /// Constants read as if they had been made for another batch, and what the model has instead.
  std::unordered_map<std::string, std::string> widened;
  /// Dimensions that the data decide and nobody states, taken at their largest.
  std::vector<Assumption> assumptions;
  /// How many bodies of other programs it lies in.
  int depth = 0;
  /// Names of Binding::dims that inference found.
  std::set<std::string> used_dims;
  /// Types of the tensors in sequences whose length is known.
  std::unordered_map<std::string, std::vector<::onnx::TypeProto>> sequences;
  /// Nodes that the model does not have.
  std::vector<std::unique_ptr<::onnx::NodeProto>> made;
  /// What a reader should know, in whole lines that begin with `where`.
  std::vector<std::string> warnings;
};

/// Throws Error, beginning with `where`, for a cycle, a tensor that nobody makes, an input
/// that a node makes, a node of a domain without opset, and initializers with impossible shapes.
Program make_program(const ::onnx::ModelProto& model, const std::string& where);

/// `where: node "conv7" (Conv): `
std::string label(const Program& program, const Node& node);

/// The step's tensors, in order; null where the name is empty. With `consumed_only`, outputs nobody
/// reads are null, too.
std::vector<const Tensor*> input_tensors(const Program& program, const Step& step);
std::vector<const Tensor*> output_tensors(const Program& program, const Step& step,
                                          bool consumed_only);

/// The type of a tensor; without a shape, of any.
::onnx::TypeProto make_type(int element_type, const std::optional<Dims>& shape);

/// A tensor with the element type and, where every extent is known, the shape of `type`.
Tensor make_tensor(std::string name, const ::onnx::TypeProto& type);

}  // namespace benanza::onnx
