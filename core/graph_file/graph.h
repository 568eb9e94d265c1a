#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// What a layer costs at inference, as the generator stated it.
enum class Cost { measured, movement, free, unsupported };
std::string_view to_string(Cost cost);

/// One node of a model. `inputs` are the layers whose results it reads. A `measured` layer has at
/// least one problem; their calls run one after the other.
struct Layer {
  std::string name{};
  std::string op{};
  std::vector<std::size_t> inputs{};
  Cost cost = Cost::measured;
  std::string reason{};
  /// A dimension that the data decide, which the generator took at its largest and a shape of the
  /// layer may rest on: "scores:0=100"; else empty.
  std::string assumed{};
  std::vector<std::string> problems{};
  std::optional<double> flops{};
  std::optional<double> bytes{};
  std::vector<std::string> outputs{};
  /// Extents of the outputs, outermost first.
  std::vector<std::vector<std::int64_t>> output_dims{};
};

/// One problem that does the work of all of `layers`.
struct Fusion {
  std::string pattern{};
  std::vector<std::size_t> layers{};
  std::string problem{};
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
};

/// A model bound to one batch.
struct Graph {
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::vector<Layer> layers{};
  std::vector<Fusion> fusions{};
  /// Tensors without one here stay in the layout they are written in.
  std::vector<LayoutTransform> transforms{};
};

/// Reads a .graph.json. Throws Error, one line, if it is not one or contradicts itself (a layer
/// index out of range, a cycle, a measured layer without a problem).
Graph read_graph(const std::filesystem::path& path);

/// Layer indices, producers before consumers; among the layers that are ready, the lowest index
/// first. Empty if the layers form a cycle.
std::vector<std::size_t> topological_order(const std::vector<Layer>& layers);

/// Every problem that a bound of the graphs may need, fused ones and changes of layout included.
std::set<std::string, std::less<>> problem_keys(const std::vector<Graph>& graphs);

/// "resnet50_v1, batch 8".
std::string title(const Graph& graph);

}  // namespace benanza
