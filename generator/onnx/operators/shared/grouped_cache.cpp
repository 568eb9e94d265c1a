#include "generator/onnx/operators/shared/grouped_cache.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/read/cache_extents.h"

namespace benanza::onnx {
namespace {

/// Earlier and new tokens together, as the model's number for them says.
std::optional<std::int64_t> known_total(const NodeView& node) {
  if (!node.has_input(6) || !node.input(6).literal || node.input(6).assumption) return {};
  const auto* values = std::get_if<std::vector<std::int64_t>>(&*node.input(6).literal);
  return values != nullptr && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> stated_total(const NodeView& node) {
  if (const auto known = known_total(node)) return known;
  const std::int64_t shared = node.integer(shared_cache_attribute, 0);
  return shared > 0 ? std::optional(shared) : std::nullopt;
}

bool is_taken_to_be_full(const NodeView& node) {
  const bool has_room =
      node.integer(shared_cache_attribute, 0) > 0 || node.flag("sliding_window_cache");
  return has_room && !known_total(node);
}

std::int64_t new_rows(const NodeView& node) {
  return rows_of_input(node, node.has_input(1) ? 1 : 0)[1];
}

GroupedCache cache_of(const NodeView& node) {
  const std::int64_t length = rows_of_input(node, 0)[1];
  const std::int64_t past = node.has_input(past_key) ? node.shape(past_key).at(2) : 0;
  const std::int64_t added = new_rows(node);
  const auto total = stated_total(node);
  if (node.flag("sliding_window_cache")) {
    const std::int64_t window = node.integer("local_window_size", -1);
    const std::int64_t tokens = std::max(length, total.value_or(past + added));
    return {.capacity = past,
            .start = std::max<std::int64_t>(0, std::min(tokens, past) - added),
            .keys = std::min(tokens, window - 1 + length)};
  }
  if (total && *total >= length && *total <= past) {
    return {.capacity = past, .start = *total - added, .keys = *total};
  }
  return {.capacity = past + added, .start = past, .keys = past + added};
}

std::vector<TakenInput> taken_lengths(const NodeView& node, const GroupedCache& cache) {
  // A rolling cache is full from some length on.
  if (node.flag("sliding_window_cache")) return {};
  const std::int64_t total = cache.start + new_rows(node);
  std::vector<TakenInput> taken;
  for (const auto& [index, value] : {std::pair(std::size_t{5}, total - 1), {6, total}}) {
    if (node.has_input(index) && !node.input(index).literal) taken.push_back({index, value});
  }
  return taken;
}

std::int64_t seen_keys(const NodeView& node, const GroupedCache& cache) {
  const std::int64_t window = node.integer("local_window_size", -1);
  if (window < 1) return cache.keys;
  return std::min(cache.keys, window - 1 + rows_of_input(node, 0)[1]);
}

Compulsory least_traffic(const NodeView& node) {
  const GroupedCache cache = cache_of(node);
  const std::int64_t added = new_rows(node);
  const std::int64_t seen = seen_keys(node, cache);
  const std::int64_t earlier = seen - std::min(added, seen);
  Compulsory moved;
  const auto add = [](Traffic& traffic, const Tensor& tensor, std::int64_t elements) {
    if (is_floating(tensor.type)) {
      traffic.elements += elements;
    } else {
      traffic.bytes += (elements * type_bits(tensor.type) + 7) / 8;
    }
  };
  for (const std::size_t past : {past_key, past_value}) {
    const std::size_t present = past - past_key + 1;
    if (node.has_input(past)) {
      const Dims& dims = node.shape(past);
      add(moved.inputs, node.input(past), dims[0] * dims[1] * earlier * dims[3]);
      add(moved.outputs, node.input(past), dims[0] * dims[1] * added * dims[3]);
    } else if (node.has_output(present)) {
      add(moved.outputs, node.output(present), element_count(node.output_shape(present)));
    }
  }
  for (const std::size_t index :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{12}, std::size_t{13}}) {
    if (node.has_input(index)) add(moved.inputs, node.input(index), node.elements(index));
  }
  add(moved.outputs, node.output(0), element_count(node.output_shape(0)));
  return moved;
}

}  // namespace benanza::onnx
