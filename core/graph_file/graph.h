#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// Version of the .graph.json format.
inline constexpr int graph_schema = 1;

/// What a layer costs at inference, stated for every layer. measured: library calls. movement: only
/// moves bytes. free: needs no work. unsupported: work for which no library call is known.
enum class Cost { measured, movement, free, unsupported };
std::string_view to_string(Cost cost);

/// A tensor that a layer makes.
struct Output {
  std::string name{};
  /// ONNX name of the element type, "float"; "unknown" where the model does not tell.
  std::string type{};
  /// Extents, outermost first; empty where they are not known.
  std::optional<std::vector<std::int64_t>> shape{};
  bool operator==(const Output&) const = default;
};

/// One node of a model. `inputs` are the layers whose results it reads, ascending. A `measured`
/// layer has at least one problem; their calls run one after the other.
struct Layer {
  std::string name{};
  /// "Conv", or with its domain: "com.microsoft.Attention".
  std::string op{};
  std::vector<std::size_t> inputs{};
  Cost cost = Cost::measured;
  /// Why the layer is free or unsupported; else empty.
  std::string reason{};
  /// A dimension that the data decide, which the generator took at its largest and a shape of the
  /// layer may rest on: "scores:0=100"; else empty.
  std::string assumed{};
  std::vector<std::string> problems{};
  /// Sums over the problems at fp32, 0 for a free layer; bytes are whole numbers. An unsupported
  /// layer has the bytes of its inputs and outputs where their shapes are known.
  std::optional<double> flops{};
  std::optional<double> bytes{};
  std::vector<Output> outputs{};
  /// Where the layer does not work at the precision that the model runs at: "fp32", or "cast"
  /// between that and fp32: none where both are the same. Else empty.
  std::string precision{};
  /// Of a training step: "forward", "backward" or "update"; else empty.
  std::string phase{};
  /// Of a backward layer: elements of each parameter whose gradient is complete when it has run.
  std::vector<std::int64_t> gradients{};
  bool operator==(const Layer&) const = default;
};

/// One problem that does the work of all of `layers`, which follow each other along the data flow.
struct Fusion {
  std::string pattern{};
  std::vector<std::size_t> layers{};
  std::string problem{};
  /// The residual that the problem adds is still needed when the call runs: a call that adds into
  /// the residual's own memory (adds_in_place()) would destroy it.
  bool keeps_residual = false;
  /// The layers are one operator that the exporter took apart (GELU, a normalization, attention):
  /// what frameworks call a layer. The bound without fusion may use the problem, too.
  bool whole = false;
  bool operator==(const Fusion&) const = default;
};

/// Changing the layout of a tensor that a layer writes, or of what the model is given.
struct LayoutTransform {
  std::size_t layer = 0;
  /// False: the layer's output. True: the first input of a layer that reads no other layer
  /// but weights.
  bool of_input = false;
  /// Problems; empty where both layouts are the same order of elements.
  std::optional<std::string> to_nhwc{};
  std::optional<std::string> to_nchw{};
  bool operator==(const LayoutTransform&) const = default;
};

/// Tensors that are moved: elements of floating types, which are as large as the precision that the
/// model runs at makes them, and bytes of other types, which stay what they are.
struct Traffic {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  bool operator==(const Traffic&) const = default;
};

/// What every run of a model reads and writes, each tensor once: what it is given, the weights of
/// its products, what it returns.
struct Compulsory {
  Traffic inputs{};
  Traffic weights{};
  Traffic outputs{};
  bool operator==(const Compulsory&) const = default;
};

/// A model bound to one batch: what a .graph.json holds.
struct Graph {
  std::string model{};
  std::optional<std::int64_t> batch{};
  /// Version of the standard operators that the model uses.
  std::optional<int> opset{};
  /// Empty: not known.
  std::optional<Compulsory> compulsory{};
  std::vector<Layer> layers{};
  std::vector<Fusion> fusions{};
  /// Tensors without one here stay in the layout they are written in.
  std::vector<LayoutTransform> transforms{};
  bool operator==(const Graph&) const = default;
};

/// The text of a .graph.json. Unknown numbers and shapes are null; bytes of names that are no UTF-8
/// are replaced, as JSON cannot hold them.
std::string graph_json(const Graph& graph);

/// Reads a .graph.json. Throws Error, one line, if it is not one or contradicts itself (a layer
/// index out of range, a cycle, a measured layer without a problem).
Graph read_graph(const std::filesystem::path& path);

/// Layer indices, producers before consumers; among the layers that are ready, the lowest index
/// first. Empty if the layers form a cycle.
std::vector<std::size_t> topological_order(const std::vector<Layer>& layers);

/// Every problem of the graph, each once: of layers, of fusions, of changes of layout, in the order
/// in which the file first names them.
std::vector<std::string> problems_of(const Graph& graph);

/// By layer: the fusions of this layer alone, which are other ways of doing it. Pointers into
/// `graph`.
std::vector<std::vector<const Fusion*>> fusions_of_one_layer(const Graph& graph);

/// Every problem that a bound of the graphs may need, fused ones and changes of layout included.
std::set<std::string, std::less<>> problem_keys(const std::vector<Graph>& graphs);

/// "resnet50_v1, batch 8".
std::string title(const Graph& graph);

}  // namespace benanza
