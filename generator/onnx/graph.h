#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"

namespace benanza {

/// What a layer costs at inference, stated for every layer. measured: library calls. movement: only
/// moves bytes. free: needs no work. unsupported: work for which no library call is known.
enum class Cost { measured, movement, free, unsupported };
std::string_view to_string(Cost cost);

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
  /// Copy only: as many elements as the node moves, but not the same ones: where they come from is
  /// known only when the model runs.
  bool stands_in = false;
};

struct OutputFacts {
  std::string name;
  /// ONNX name of the element type, "float"; "unknown" where inference does not tell.
  std::string type;
  std::optional<Dims> shape;
};

/// Where an input of a node comes from.
struct Read {
  /// The layer that makes it; -1 for inputs of the model, stored tensors and inputs left out.
  int producer = -1;
  /// Known when the model is loaded.
  bool constant = false;
  bool operator==(const Read&) const = default;
};

/// A dimension that the data decide, taken at its largest.
struct Assumption {
  /// The operator that makes the tensor.
  std::string op_type;
  std::string tensor;
  std::size_t axis = 0;
  std::int64_t extent = 0;
};
/// "scores:0=100", as --dim takes it.
std::string to_string(const Assumption& assumption);

/// One node of a model, with every dimension known.
struct Layer {
  std::string name;
  std::string op_type;
  /// Layers that produce what this one reads, ascending, each once.
  std::vector<int> inputs;
  /// One per input of the node; a subgraph's captures follow.
  std::vector<Read> reads;
  /// How often its results are read by layers that work at inference, and by the caller.
  int uses = 0;
  /// Its results are known when the model is loaded.
  bool constant = false;
  Cost cost = Cost::unsupported;
  /// Why the layer is free or unsupported; else empty.
  std::string reason;
  /// Of a free layer: what can be measured, but does not run at inference.
  std::vector<Call> calls;
  std::vector<OutputFacts> outputs;
  /// The first assumption that a shape of the layer may rest on, as text; else empty.
  std::string assumed;
  /// Sums over the calls at fp32; 0 for a free layer. An unsupported layer has the bytes of its
  /// inputs and outputs (floating types counted as fp32) where their shapes are known.
  std::optional<double> flops;
  std::optional<std::int64_t> bytes;
};

/// One call that does the work of all calls of `layers`. They follow each other along the data
/// flow; only the last one's result is read by other layers.
struct Fusion {
  std::string pattern;
  std::vector<int> layers;
  Problem problem;
};

/// A model bound to one batch size; layers in topological order.
struct Graph {
  std::string model;
  std::int64_t batch = 1;
  int opset = 0;
  std::vector<Layer> layers;
  std::vector<Fusion> fusions;
  /// Elements of the constant tensors of floating and 8-bit types that layers read: the weights,
  /// statistics of batch normalization included.
  std::int64_t parameters = 0;
  /// In the order of the layers that make them.
  std::vector<Assumption> assumptions;
  /// Named dimensions of the user that the model has.
  std::set<std::string> bound_dims;
  /// Where the model contradicts itself, in whole lines.
  std::vector<std::string> warnings;
};

}  // namespace benanza
