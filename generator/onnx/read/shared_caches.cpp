#include "generator/onnx/read/shared_caches.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace benanza::onnx {

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
