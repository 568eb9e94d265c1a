#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/problem.h"

/// The importer's result, from which fusions are searched and graph files made.
namespace benanza {

/// Where an operand of a call comes from: the node's input `index`, the result of the layer's call
/// `index`, or the node's attributes: a triangle that hides what comes later (`index` 0), or a band
/// around the diagonal (1). `scale` is folded into a weight when the model is loaded.
struct Source {
  enum class Kind { input, call, attribute };
  Kind kind = Kind::input;
  int index = 0;
  float scale = 1;
  bool operator==(const Source&) const = default;
};

/// One library call of a layer. Tensors are dense and row-major, so a result feeds a later call
/// element by element even where the two problems see it with different extents.
struct Call {
  Problem problem;
  /// One per operand of the problem.
  std::vector<Source> operands;
  /// Copy only: where the views begin in the operand and in the node's output, in elements.
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  /// The output of the node that the call writes or helps to write; of several results, the first.
  int output = 0;
  /// Copy only: moves as many elements as the node does, but not the same ones: where they come
  /// from is known only when the model runs.
  bool is_proxy = false;
};

/// Where an input of a node comes from.
struct Read {
  /// The layer that makes it; empty for inputs of the model, stored tensors and inputs left out.
  std::optional<std::size_t> producer = {};
  /// Which of that layer's outputs; with `call`, which of that call's results.
  std::size_t output = 0;
  /// A call of that layer, for a result that stays inside of the layer: backward layers read what
  /// forward layers have kept.
  std::optional<std::size_t> call = {};
  /// Known when the model is loaded.
  bool constant = false;
  /// Of a constant of one element, where the model tells it.
  std::optional<double> value = {};
  /// Extents of what no layer makes, where they are known.
  std::optional<Dims> given = {};
  /// The same number for the same tensor; 0 for inputs left out.
  std::size_t tensor = 0;
  bool operator==(const Read&) const = default;
};

/// A dimension that the data decide, taken at its largest.
struct Assumption {
  /// The operator that makes the tensor.
  std::string op;
  std::string tensor;
  std::size_t axis = 0;
  std::int64_t extent = 0;
};
/// "scores:0=100", as --dim takes it.
std::string to_string(const Assumption& assumption);

/// A layer of the graph file, and where its calls get their operands from.
struct LoweredLayer : Layer {
  /// The calls of `problems`. Of a free layer: what can be measured, but does not run at inference.
  std::vector<Call> calls;
  /// One call that does the work of all of them, which only some libraries have.
  std::optional<Problem> whole;
  /// One per input of the node; a subgraph's captures follow.
  std::vector<Read> reads;
  /// How often its results are read by layers that work at inference, and by the caller.
  int uses = 0;
  /// Its results are known when the model is loaded.
  bool constant = false;
};

/// Sets what follows from the layer's calls: its problems, and their FLOPs and bytes at fp32. Free
/// layers do neither; what an unsupported one has is left as it is.
void set_work(LoweredLayer& layer);
/// Sets what follows from its reads: the layers that it needs, ascending, each once.
void set_inputs(LoweredLayer& layer);

/// A model bound to one batch size; layers in topological order.
struct LoweredGraph {
  std::string model;
  std::int64_t batch = 1;
  int opset = 0;
  std::vector<LoweredLayer> layers;
  /// Elements of the constant tensors of floating and 8-bit types that layers read: the weights,
  /// statistics of batch normalization included.
  std::int64_t parameters = 0;
  Compulsory compulsory = {};
  /// In the order of the layers that make them.
  std::vector<Assumption> assumptions;
  /// Named dimensions of the user that the model has.
  std::set<std::string> bound_dims;
  /// Where the model contradicts itself, in whole lines.
  std::vector<std::string> warnings;
  /// Of a list of problems (generator/lists): its name, "deepbench". Then the layers are rows: no
  /// data flows between them, and there is no batch. Empty: a model.
  std::string list = {};
};

}  // namespace benanza
