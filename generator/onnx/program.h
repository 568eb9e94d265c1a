#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/node.h"
#include "onnx/tensor.h"

namespace benanza {

/// A step of a program: a node and the tensors it reads and makes, by names that are unique in the
/// program (Tensor::name is the model's own). Names are empty where an optional input or output is
/// left out.
struct Step {
  Node node;
  std::vector<std::string> inputs;
  /// Tensors of this graph that the node's subgraphs read.
  std::vector<std::string> captured;
  std::vector<std::string> outputs;
};

/// The nodes of a model in topological order (file order where that is one). Refers to the model,
/// which must outlive it.
struct Program {
  /// Begins every error message: the path.
  std::string where;
  int opset = 0;
  std::vector<Step> steps;
  /// Types as far as known: at first of inputs and initializers; inference adds the rest.
  std::unordered_map<std::string, onnx::TypeProto> types;
  std::unordered_map<std::string, Tensor> tensors;
  /// Tensors that a node or the caller reads.
  std::set<std::string> consumed;
};

/// Throws Error, beginning with `where`, for a cycle, a tensor that nobody makes, an input
/// that a node makes, a node of a domain without opset, and initializers with impossible shapes.
Program make_program(const onnx::ModelProto& model, const std::string& where);

/// `where: node "conv7" (Conv): `
std::string label(const Program& program, const Node& node);

/// The step's tensors, in order; null where the name is empty. With `consumed_only`, outputs nobody
/// reads are null, too.
std::vector<const Tensor*> input_tensors(const Program& program, const Step& step);
std::vector<const Tensor*> output_tensors(const Program& program, const Step& step,
                                          bool consumed_only);

/// A tensor with the element type and, where every extent is known, the shape of `type`.
Tensor make_tensor(std::string name, const onnx::TypeProto& type);

}  // namespace benanza
