#include "generator/onnx/read/cache_extents.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

std::int64_t integer(const NodeProto& node, std::string_view name, std::int64_t fallback) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return fallback;
}

bool has_input(const NodeProto& node, int index) {
  return index < node.input_size() && !node.input(index).empty();
}

/// Looks up what the graph states of its tensors, and who makes them.
class Stated {
 public:
  explicit Stated(const GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) {
      const auto& dims = tensor.dims();
      shapes_[tensor.name()] = {dims.begin(), dims.end()};
    }
    for (const auto* values : {&graph.value_info(), &graph.input(), &graph.output()}) {
      for (const auto& value : *values) add(value);
    }
    for (const NodeProto& node : graph.node()) {
      for (const std::string& output : node.output()) makers_[output] = &node;
    }
  }

  /// The last extent of a tensor: as stated, or the columns of the product that makes it.
  std::optional<std::int64_t> last(const std::string& tensor, int depth = 0) const {
    constexpr int deepest = 4;
    if (const auto known = extent(tensor, -1)) return known;
    const auto maker = makers_.find(tensor);
    if (maker == makers_.end() || depth == deepest) return std::nullopt;
    const NodeProto& node = *maker->second;
    if (node.op_type() == "MatMulNBits") {
      const std::int64_t columns = integer(node, "N", 0);
      return columns > 0 ? std::optional(columns) : std::nullopt;
    }
    if (node.op_type() == "MatMul" && has_input(node, 1)) return extent(node.input(1), -1);
    if (node.op_type() == "Add") {
      for (const std::string& input : node.input()) {
        if (const auto found = last(input, depth + 1)) return found;
      }
    }
    return std::nullopt;
  }
  /// Empty if it is open; `axis` counts from the end if it is negative.
  std::optional<std::int64_t> extent(const std::string& tensor, int axis) const {
    const auto found = shapes_.find(tensor);
    if (found == shapes_.end()) return std::nullopt;
    const auto rank = static_cast<int>(found->second.size());
    const int place = axis < 0 ? rank + axis : axis;
    if (place < 0 || place >= rank) return std::nullopt;
    const std::int64_t extent = found->second[static_cast<std::size_t>(place)];
    return extent > 0 ? std::optional(extent) : std::nullopt;
  }
  std::size_t rank(const std::string& tensor) const {
    const auto found = shapes_.find(tensor);
    return found == shapes_.end() ? 0 : found->second.size();
  }

 private:
  void add(const ::onnx::ValueInfoProto& value) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    std::vector<std::int64_t> dims;
    for (const auto& dimension : value.type().tensor_type().shape().dim()) {
      dims.push_back(dimension.has_dim_value() ? dimension.dim_value() : 0);
    }
    shapes_.emplace(value.name(), std::move(dims));
  }

  std::unordered_map<std::string, std::vector<std::int64_t>> shapes_;
  std::unordered_map<std::string, const NodeProto*> makers_;
};

/// What an attention operator says of its caches, n x heads x rows x size.
struct Caches {
  /// Places of the keys and values among the node's inputs.
  int first = 0;
  std::int64_t heads = 0;
  std::optional<std::int64_t> key_size{};
  std::optional<std::int64_t> value_size{};
  std::optional<std::int64_t> rows{};
};

std::optional<std::int64_t> share(std::optional<std::int64_t> whole, std::int64_t parts) {
  if (!whole || parts <= 0 || *whole % parts != 0) return std::nullopt;
  return *whole / parts;
}

Caches of_group_query(const NodeProto& node, const Stated& stated) {
  const std::int64_t heads = integer(node, "num_heads", 0);
  Caches caches{.first = 3, .heads = integer(node, "kv_num_heads", 0)};
  const bool is_packed = !has_input(node, 1);
  auto size = share(stated.last(node.input(0)), is_packed ? heads + 2 * caches.heads : heads);
  // Two values in a byte.
  if (integer(node, "kv_cache_bit_width", 8) == 4) size = share(size, 2);
  caches.key_size = caches.value_size = size;
  const std::int64_t window = integer(node, "local_window_size", -1);
  if (integer(node, "sliding_window_cache", 0) != 0 && window > 0) caches.rows = window;
  return caches;
}

Caches of_multi_head(const NodeProto& node, const Stated& stated) {
  const std::int64_t heads = integer(node, "num_heads", 0);
  Caches caches{.first = 6, .heads = heads};
  if (stated.rank(node.input(0)) == 3) caches.key_size = share(stated.last(node.input(0)), heads);
  if (has_input(node, 2) && stated.rank(node.input(2)) == 3) {
    caches.value_size = share(stated.last(node.input(2)), heads);
  }
  return caches;
}

/// Of ONNX's own operator, with queries of three axes.
Caches of_attention(const NodeProto& node, const Stated& stated) {
  Caches caches{.first = 4, .heads = integer(node, "kv_num_heads", 0)};
  caches.key_size = share(stated.last(node.input(0)), integer(node, "q_num_heads", 0));
  if (has_input(node, 2)) caches.value_size = share(stated.last(node.input(2)), caches.heads);
  return caches;
}

std::optional<Caches> caches_of(const NodeProto& node, const Stated& stated) {
  if (!has_input(node, 0)) return std::nullopt;
  if (node.op_type() == "GroupQueryAttention") return of_group_query(node, stated);
  if (node.op_type() == "MultiHeadAttention") return of_multi_head(node, stated);
  if (node.op_type() == "Attention" && node.domain().empty()) return of_attention(node, stated);
  return std::nullopt;
}

}  // namespace

std::vector<ImpliedExtent> cache_extents(const GraphProto& graph) {
  std::vector<ImpliedExtent> implied;
  const Stated stated(graph);
  for (const NodeProto& node : graph.node()) {
    const auto caches = caches_of(node, stated);
    if (!caches) continue;
    const auto add = [&](int place, const std::optional<std::int64_t>& size) {
      if (!has_input(node, place)) return;
      const std::string& tensor = node.input(place);
      if (caches->heads > 0) implied.push_back({tensor, 1, caches->heads});
      if (caches->rows) implied.push_back({tensor, 2, *caches->rows});
      if (size) implied.push_back({tensor, 3, *size});
    };
    add(caches->first, caches->key_size);
    add(caches->first + 1, caches->value_size);
  }
  return implied;
}

void state_shared_caches(::onnx::GraphProto& graph) {
  std::unordered_map<std::string, std::int64_t> rows;
  for (const auto* values : {&graph.value_info(), &graph.input(), &graph.output()}) {
    for (const auto& value : *values) {
      const auto& shape = value.type().tensor_type().shape();
      if (shape.dim_size() == 4) rows[value.name()] = shape.dim(2).dim_value();
    }
  }
  const auto rows_of = [&](const auto& names, int index) -> std::int64_t {
    if (index >= names.size()) return 0;
    const auto found = rows.find(names.Get(index));
    return found == rows.end() ? 0 : found->second;
  };
  for (auto& node : *graph.mutable_node()) {
    if (node.op_type() != "GroupQueryAttention" || node.domain() != "com.microsoft") continue;
    constexpr int past_key = 3;
    constexpr int present_key = 1;
    const std::int64_t shared = rows_of(node.input(), past_key);
    if (shared < 1 || rows_of(node.output(), present_key) != shared) continue;
    const bool slides = std::ranges::any_of(node.attribute(), [](const auto& attribute) {
      return attribute.name() == "sliding_window_cache" && attribute.i() != 0;
    });
    if (slides) continue;
    auto& attribute = *node.add_attribute();
    attribute.set_name(std::string(shared_cache_attribute));
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(shared);
  }
}

}  // namespace benanza::onnx
