#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/graph_file/graph.h"
#include "core/problem/problem.h"

/// The importer's result, the input of the fusion search and the graph files.
namespace benanza {

/// Where an operand of a call comes from: the node's input `index`; the result of the layer's call
/// `index`; or the node itself, which defines a causal mask, a band mask around the diagonal,
/// zeros, `numbers`, or what nobody states here (a Fourier transform's matrix). `scale` is folded
/// into a weight when the model is loaded.
struct Source {
  enum class Kind { input, call, attribute };
  /// `index` of an attribute.
  static constexpr int causal = 0;
  static constexpr int band = 1;
  static constexpr int zeros = 2;
  static constexpr int unstated = 3;
  static constexpr int stated = 4;
  Kind kind = Kind::input;
  int index = 0;
  float scale = 1;
  /// Of a causal mask: how many of the last keys a query sees; 0: all.
  std::int64_t window = 0;
  /// Of `stated`: one for each element, or one for all. Of an input: its rows (the last axis) are
  /// repeated once for each of these, times it.
  std::vector<float> numbers = {};
  /// Set if the operand is a part of that tensor, which begins with this element and has no gaps.
  std::optional<std::int64_t> part_from = {};
  /// If not 0: the operand's matrices (its last two axes) are rows of the tensor's, which have so
  /// many; the first begins at `part_from`. They are read where they are, with gaps.
  std::int64_t matrix_rows = 0;
  /// If not empty: those of the operand in the tensor, from element `part_from` on.
  Dims strides = {};
  bool is_whole() const { return !part_from && matrix_rows == 0 && strides.empty(); }
  bool operator==(const Source&) const = default;
};

/// The node input that chooses the rows of a proxy, and which rows these are.
struct RowChoice {
  int indices = 1;
  GatheredRows rows = {};
};

/// An input of which a run reads some rows alone: at least `least` and at most `most` of `of`.
struct PartRead {
  std::size_t input = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t of = 1;
};

/// A whole number that the model's caller decides, such as a sequence's length, and what it is
/// taken to be.
struct TakenInput {
  std::size_t input = 0;
  std::int64_t value = 0;
};

/// One library call of a layer. Tensors are dense and row-major, so a result feeds a later call
/// element by element even if the two problems give it different extents.
struct Call {
  Problem problem;
  /// One per operand of the problem.
  std::vector<Source> operands;
  /// Copy only: the offset of the view in the operand, in elements.
  std::int64_t from_offset = 0;
  /// Where the result begins in the node's output; of a copy, its view.
  std::int64_t to_offset = 0;
  /// The node output that the call writes, completely or in part; of several results, the first.
  int output = 0;
  /// The layer's calls with this set write that output together, each a part of it.
  bool writes_part = false;
  /// Copy only: stands for the node, but does not make its result: moves as many elements, whose
  /// positions are known only when the model runs, or which the node puts in reverse order, or
  /// leaves out a border.
  bool is_proxy = false;
  /// Copies and conversions only: the output has the memory of an input, which holds all that the
  /// call does not write.
  bool in_place = false;
  /// The node's input whose memory that is, if it is one whole input.
  std::optional<int> into = {};
  /// Those of the result in the node's output; empty: dense.
  Dims result_strides = {};
  /// Proxies only: what the node does, if it chooses rows of its input 0.
  std::optional<RowChoice> gather = {};
};

/// A constant tensor that tells, by its last two axes, which keys a query sees: all matrices of
/// these axes are alike, and query i sees the keys up to i + keys - queries, or with a window the
/// last so many of these.
struct Triangle {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  /// 0: no limit.
  std::int64_t window = 0;
  /// Every element for a key that is seen.
  double inside = 0;
  /// All others are at least as far from 0 as this one, with its sign; if it is 0, all are.
  double outside = 0;
  /// Its elements are truth values.
  bool truth = false;
  bool operator==(const Triangle&) const = default;
};

/// Where an input of a node comes from.
struct Read {
  /// The layer that makes it; empty for inputs of the model, stored tensors and omitted inputs.
  std::optional<std::size_t> producer = {};
  /// Which of that layer's outputs; if `call` is set, which of that call's results.
  std::size_t output = 0;
  /// A call of that layer, for a result that stays inside the layer: backward layers read what
  /// forward layers have kept.
  std::optional<std::size_t> call = {};
  /// Known when the model is loaded.
  bool constant = false;
  /// The value of a one-element constant, if the model contains it.
  std::optional<double> value = {};
  /// The extents of a tensor that no layer makes, if known.
  std::optional<Dims> given = {};
  /// Equal for reads of the same tensor; 0 for omitted inputs.
  std::size_t tensor = 0;
  /// Set where a layer may mask scores with the tensor and its values are known.
  std::optional<Triangle> triangle = {};
  /// The largest element of a constant that a Where chooses from, if its values are known.
  std::optional<double> largest = {};
  /// A constant mask whose values are known and hide nothing; set where a layer may mask scores
  /// with it.
  bool hides_nothing = false;
  /// A stored tensor of real numbers that training may change (no mask), or what stands for one.
  bool learned = false;
  /// The extents of a stored tensor that is repeated for a larger batch.
  std::optional<Dims> stored = {};
  std::string name = {};
  /// ONNX name of its element type.
  std::string type = {};
  bool operator==(const Read&) const = default;
};

/// An extent that depends on the data and is assumed to be as large as possible.
struct Assumption {
  /// The operator that makes the tensor.
  std::string op;
  std::string tensor;
  std::size_t axis = 0;
  std::int64_t extent = 0;
};
/// Returns "scores:0=100", the format of --dim.
std::string to_string(const Assumption& assumption);

/// A layer of the graph file, and where its calls get their operands from.
struct LoweredLayer : Layer {
  /// The calls of `problems`. For a free layer: calls that can be measured but do not run at
  /// inference.
  std::vector<Call> calls;
  /// One call that does the work of all calls; only some libraries have it.
  std::optional<Problem> whole;
  /// One per input of the node, followed by the captures of a subgraph.
  std::vector<Read> reads;
  /// Of an unsupported layer: inputs that it reads, and outputs that it writes, from the first
  /// element to the last.
  std::vector<std::size_t> reads_whole;
  std::vector<std::size_t> writes_whole;
  /// Outputs that have the memory of an input, of which it changes nothing.
  std::vector<std::size_t> unwritten;
  /// Inputs that it reads in part.
  std::vector<PartRead> reads_parts;
  std::vector<TakenInput> taken;
  /// How often layers that work at inference, and the caller, read its results.
  int uses = 0;
  /// Whether its results are known when the model is loaded.
  bool constant = false;
};

/// Sets the fields derived from the layer's calls: its problems, and their FLOPs and bytes at fp32.
/// Free layers have neither; those of an unsupported layer are left unchanged.
void set_work(LoweredLayer& layer);
/// Sets the field derived from its reads: the layers that it depends on, ascending, without
/// duplicates.
void set_inputs(LoweredLayer& layer);

/// A model bound to one batch size; layers in topological order.
struct LoweredGraph {
  std::string model;
  std::int64_t batch = 1;
  int opset = 0;
  std::vector<LoweredLayer> layers;
  /// Elements of the constant tensors of floats and of at most 8 bits that layers read: the
  /// weights, including the statistics of batch normalizations, without scales and zero points.
  std::int64_t parameters = 0;
  /// The same as the file stores them.
  Traffic stored_parameters = {};
  Compulsory compulsory = {};
  /// What the caller reads.
  std::vector<Read> results = {};
  /// Fusions besides those that find_fusions() finds.
  std::vector<Fusion> fusions;
  /// Products and convolutions are padded, too (fusion/padding.h).
  bool pads = false;
  /// In the order of the layers that make the tensors.
  std::vector<Assumption> assumptions;
  /// Inputs of the model that decide lengths, and what these are taken to be: the longest.
  std::map<std::string, std::int64_t> taken;
  /// The user's named dimensions that the model has.
  std::set<std::string> bound_dims;
  /// Where the model contradicts itself; one line each.
  std::vector<std::string> warnings;
  /// For a list of problems (generator/lists): its name, "deepbench". The layers are then rows: no
  /// data flows between them, and there is no batch. Empty for a model.
  std::string list = {};
  /// Graph::metadata.
  std::map<std::string, std::string> metadata = {};
};

/// Whether another of a layer's calls reads the result of call `index`.
bool is_read(const std::vector<Call>& calls, std::size_t index);

/// Removes a call; who reads its result reads `instead`.
void erase_call(std::vector<Call>& calls, std::size_t index, const Source& instead);

/// The copy of all that the call reads to all that it makes; null if it is none.
const Copy* copy_of_all(const Call& call);

}  // namespace benanza
