#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"

namespace benanza {

/// Version of the .graph.json format.
inline constexpr int graph_schema = 1;

/// The cost of a layer at inference. measured: library calls. movement: only moves bytes. free:
/// needs no work. unsupported: work for which no library call is known.
enum class Cost { measured, movement, free, unsupported };
std::string_view to_string(Cost cost);

/// An output tensor of a layer.
struct Output {
  std::string name{};
  /// ONNX name of the element type, "float"; "unknown" if the model does not state it.
  std::string type{};
  /// Extents, outermost first; empty if unknown.
  std::optional<std::vector<std::int64_t>> shape{};
  bool operator==(const Output&) const = default;
};

/// Sizes of tensors that are moved: elements of floating types, whose size depends on the precision
/// the model runs at, and bytes of other types, whose size is fixed.
struct Traffic {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  /// Elements of 16 bits that the model widens before it computes with them: they need no more.
  std::int64_t halves = 0;
  /// With elements of `element_bytes`.
  std::int64_t bytes_at(std::int64_t element_bytes) const {
    return elements * element_bytes + bytes + halves * std::min<std::int64_t>(element_bytes, 2);
  }
  bool operator==(const Traffic&) const = default;
};

/// What every run of a model or a layer must read and write, each tensor once: its inputs, its
/// weights (of a model: of its products) and its outputs.
struct Compulsory {
  Traffic inputs{};
  Traffic weights{};
  Traffic outputs{};
  bool operator==(const Compulsory&) const = default;
};

/// One node of a model. `inputs` are the layers whose results it reads, ascending. A `measured`
/// layer has at least one problem; their calls run one after the other.
struct Layer {
  std::string name{};
  /// "Conv", or with its domain: "com.microsoft.Attention".
  std::string op{};
  std::vector<std::size_t> inputs{};
  Cost cost = Cost::measured;
  /// Why the layer is free or unsupported; otherwise empty.
  std::string reason{};
  /// A data-dependent dimension for which the generator assumed the largest value, and on which a
  /// shape of the layer may depend: "scores:0=100"; otherwise empty.
  std::string assumed{};
  std::vector<std::string> problems{};
  /// Places in `problems`, ascending, of those that only move elements from one call of the layer
  /// to another.
  std::vector<std::size_t> inner_moves{};
  /// Sums over the problems at fp32, 0 for a free layer; bytes are whole numbers. An unsupported
  /// layer has the bytes of its inputs and outputs if their shapes are known.
  std::optional<double> flops{};
  std::optional<double> bytes{};
  std::vector<Output> outputs{};
  /// Set if the layer does not run at the model's precision: its own ("fp32", "bf16"), or "cast"
  /// for a conversion between fp32 and the model's (no call if they are the same). Otherwise empty.
  std::string precision{};
  /// Phase of a training step: "forward", "backward" or "update"; otherwise empty.
  std::string phase{};
  /// For a backward layer: the element count of each parameter whose gradient is complete once it
  /// has run.
  std::vector<std::int64_t> gradients{};
  /// Of a layer of several calls, if known.
  std::optional<Compulsory> compulsory{};
  bool operator==(const Layer&) const = default;
};

/// One problem that does the work of all of `layers`, which are ascending and consecutive along the
/// data flow; at least one.
struct Fusion {
  std::string pattern{};
  std::vector<std::size_t> layers{};
  std::string problem{};
  /// Further problems without which the first is no way to do the layers: what a fused forward call
  /// does not store, only the fused backward call can do without; an attention operator also
  /// appends its keys and rotates.
  std::vector<std::string> also{};
  /// The residual that the problem adds is still needed when the call runs, so a call that works in
  /// place (adds_in_place()) must not be used.
  bool keeps_residual = false;
  /// The layers are one operator that the exporter decomposed (GELU, a normalization, attention, a
  /// product with its bias) and that frameworks treat as one layer. The bound without fusion may
  /// use the problem, too.
  bool whole = false;
  bool operator==(const Fusion&) const = default;
};

/// A change of layout of a tensor that a layer writes, or of a model input.
struct LayoutTransform {
  std::size_t layer = 0;
  /// False: the layer's output. True: the first input of a layer that reads no other layers except
  /// weights.
  bool of_input = false;
  /// Problems; empty if both layouts have the same order of elements.
  std::optional<std::string> to_nhwc{};
  std::optional<std::string> to_nchw{};
  bool operator==(const LayoutTransform&) const = default;
};

/// A model with a fixed batch size: the contents of a .graph.json.
struct Graph {
  std::string model{};
  std::optional<std::int64_t> batch{};
  /// Version of the standard operator set that the model uses.
  std::optional<int> opset{};
  /// Empty if unknown.
  std::optional<Compulsory> compulsory{};
  std::vector<Layer> layers{};
  std::vector<Fusion> fusions{};
  /// Tensors not listed here keep the layout they are written in.
  std::vector<LayoutTransform> transforms{};
  /// Of a recording: names of variants (core/problem/name.h), the calls that the program made. The
  /// suites measure them besides what their libraries offer.
  std::vector<std::string> recorded{};
  /// Of calls that all ran at one precision: suites and answers take the graph at it unless asked
  /// for another. Empty for models, which have none of their own.
  std::string precision{};
  /// What the model's file says of itself under keys that begin with "benanza.", without that
  /// prefix: {"phase": "decode", "batch": "8"}.
  std::map<std::string, std::string> metadata{};
  bool operator==(const Graph&) const = default;
};

/// The text of a .graph.json. Unknown numbers and shapes are null; bytes of names that are not
/// UTF-8 are replaced, because JSON cannot hold them.
std::string graph_json(const Graph& graph);

/// Reads a .graph.json. Throws Error, one line, if it is not one or contradicts itself (a layer
/// index out of range, a layer that reads a later one, a measured layer without a problem, a fusion
/// without layers) or has numbers that no model has.
Graph read_graph(const std::filesystem::path& path);

/// Layer indices in topological order, producers before consumers; among ready layers, the lowest
/// index first. Empty if the layers form a cycle.
std::vector<std::size_t> topological_order(const std::vector<Layer>& layers);

/// Every problem of the graph once (of layers, fusions and layout changes), in order of first
/// mention in the file.
std::vector<std::string> problems_of(const Graph& graph);
/// The precision of a layer whose tensors the file stores in 8 bits (int8, fp8), at which it is
/// measured, whatever the run's; nullopt for others.
std::optional<Precision> stored_precision(const Layer& layer);
/// The same of a problem of the layer: of several calls at fp8, those that multiply by weights
/// alone take what is stored; the others have floats.
std::optional<Precision> stored_precision(const Layer& layer, const std::string& key);
/// The problems of such layers, by precision. Other layers may have them, too, and are measured at
/// the run's.
std::map<Precision, std::set<std::string, std::less<>>> stored_problems_of(const Graph& graph);
/// Those of all other layers.
std::set<std::string, std::less<>> float_problems_of(const Graph& graph);
/// The fusion's problem, followed by those of `also`.
std::vector<std::string> problems_of(const Fusion& fusion);

/// For each layer: the fusions of only this layer, which are alternatives to its problems. Pointers
/// into `graph`.
std::vector<std::vector<const Fusion*>> fusions_of_one_layer(const Graph& graph);

/// Every problem that a bound of the graphs may need, including fused ones and layout changes.
std::set<std::string, std::less<>> problem_keys(const std::vector<Graph>& graphs);

/// "resnet50_v1, batch 8".
std::string title(const Graph& graph);

}  // namespace benanza
