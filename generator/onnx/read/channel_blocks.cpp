#include "generator/onnx/read/channel_blocks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace benanza::onnx {
namespace {

constexpr std::string_view blocked = "com.microsoft.nchwc";
constexpr std::int64_t small_block = 8;
constexpr std::int64_t large_block = 16;

/// The extents of weights by their names.
using Extents = std::unordered_map<std::string, std::vector<std::int64_t>>;

bool is_blocked(const ::onnx::NodeProto& node, std::string_view op) {
  return node.domain() == blocked && node.op_type() == op;
}

/// The block that the weights of the graph's convolutions have. Filters are in whole blocks, and
/// channels if the data are: a first convolution reads a few as they are. Those in groups have one.
std::int64_t channel_block(const ::onnx::GraphProto& graph) {
  Extents extents;
  for (const auto& tensor : graph.initializer()) {
    extents[tensor.name()].assign(tensor.dims().begin(), tensor.dims().end());
  }
  std::unordered_set<std::string> in_blocks;
  for (const auto& node : graph.node()) {
    if (node.domain() == blocked && node.op_type() != "ReorderOutput") {
      in_blocks.insert(node.output().begin(), node.output().end());
    }
    if (!is_blocked(node, "Conv") || node.input_size() < 2) continue;
    const auto found = extents.find(node.input(1));
    if (found == extents.end() || found->second.size() < 2) continue;
    const std::int64_t channels = found->second[1];
    const bool divides =
        !in_blocks.contains(node.input(0)) || channels == 1 || channels % large_block == 0;
    if (found->second[0] % large_block != 0 || !divides) return small_block;
  }
  return large_block;
}

}  // namespace

void state_channel_blocks(::onnx::GraphProto& graph) {
  const auto reorders = [](const auto& node) { return is_blocked(node, "ReorderInput"); };
  if (std::ranges::none_of(graph.node(), reorders)) return;
  const std::int64_t block = channel_block(graph);
  for (auto& node : *graph.mutable_node()) {
    if (!reorders(node)) continue;
    auto& attribute = *node.add_attribute();
    attribute.set_name(std::string(channel_block_attribute));
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(block);
  }
}

}  // namespace benanza::onnx
