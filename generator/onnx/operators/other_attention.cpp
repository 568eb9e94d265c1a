#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/attention_parts.h"

/// Attention of ONNX Runtime that no library here has: shapes and reasons.
namespace benanza::onnx {
namespace {

/// Input 0 without the keys and values that are packed behind its queries, if they are.
Dims queries(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("queries without axes");
  if (!node.has_input(1)) {
    const std::int64_t heads = positive(node, "num_heads");
    dims.back() = dims.back() / (heads + 2 * positive(node, "kv_num_heads")) * heads;
  }
  return dims;
}

/// Queries (tokens, heads * size); the cache keeps its extents and its type.
std::vector<TensorFacts> paged_shape(const NodeView& node) {
  Dims dims = queries(node);
  // Values that are the first elements of the rows of keys.
  if (const std::int64_t size = node.integer("v_head_size", 0); size > 0) {
    dims.back() = checked_product(positive(node, "num_heads"), size);
  }
  const auto cache = [&](std::size_t index) -> TensorFacts {
    if (!node.has_input(index)) return {};
    return {node.input(index).type, node.input(index).shape};
  };
  return {{node.input(0).type, dims}, cache(3), cache(4)};
}

constexpr std::size_t paged_keys = 3;
constexpr std::size_t paged_values = 4;
constexpr std::size_t paged_lengths = 6;
bool selects_rows(const NodeView& node) { return node.op_type() == "SparsePagedAttention"; }

/// Keys and values, and what scales each of their rows, in pages: (pages, rows, ...).
std::vector<std::size_t> paged_caches(const NodeView& node) {
  if (selects_rows(node)) return {paged_keys, paged_values};
  return {paged_keys, paged_values, 17, 18};
}

/// Rows of a cache that earlier runs have filled and this one reads, if the lengths are known. Of a
/// window, those that the first new token sees; which are selected is only known when it runs.
std::int64_t earlier_rows(const NodeView& node) {
  if (selects_rows(node)) return 0;
  if (!node.has_input(paged_lengths) || !node.input(paged_lengths).literal) return 0;
  const std::int64_t window = node.integer("local_window_size", -1);
  std::int64_t rows = 0;
  for (const std::int64_t length : node.integers(paged_lengths)) {
    const std::int64_t seen = window > 0 ? std::min(length, window - 1) : length;
    rows = checked_sum(rows, std::max<std::int64_t>(0, seen));
  }
  return rows;
}

std::vector<PartRead> paged_rows(const NodeView& node) {
  std::vector<PartRead> parts;
  for (const std::size_t index : paged_caches(node)) {
    if (!node.has_input(index)) continue;
    const Dims& pages = node.shape(index);
    if (pages.size() < 3) continue;
    const std::int64_t all = checked_product(pages[0], pages[1]);
    const std::int64_t rows = std::min(all, earlier_rows(node));
    if (rows > 0) parts.push_back({.input = index, .least = rows, .most = rows, .of = all});
  }
  return parts;
}

/// Queries, keys, values and the result; as they are stored, what becomes a part of the caches, and
/// what is read of them if that is known.
double paged_bytes(const NodeView& node) {
  const std::int64_t tokens = node.shape(0).at(0);
  std::int64_t bytes = 4 * element_count(node.output_shape(0));
  for (const std::size_t index : {0, 1, 2}) {
    if (node.has_input(index)) bytes += 4 * node.elements(index);
  }
  for (const std::size_t index : paged_caches(node)) {
    if (!node.has_input(index)) continue;
    const Dims& pages = node.shape(index);
    if (pages.size() < 3) throw NotExpressible("pages without rows");
    const int type = node.input(index).type;
    const std::int64_t row = element_count(Dims(pages.begin() + 2, pages.end()));
    const int bits = is_floating(type) ? 32 : type_bits(type);
    const std::int64_t rows =
        checked_sum(tokens, std::min(checked_product(pages[0], pages[1]), earlier_rows(node)));
    bytes += checked_product(checked_product(rows, row), bits) / 8;
  }
  return static_cast<double>(bytes);
}

/// As GroupQueryAttention; caches keep their extents.
std::vector<TensorFacts> sparse_shape(const NodeView& node) {
  return {{node.input(0).type, queries(node)},
          {node.input(3).type, node.input(3).shape},
          {node.input(4).type, node.input(4).shape}};
}

/// The first three inputs and the result: of caches, masks and further weights, how much is read is
/// only known when it runs.
double bytes_besides_caches(const NodeView& node) {
  std::int64_t elements = element_count(node.output_shape(0));
  for (const std::size_t index : {0, 1, 2}) {
    if (node.has_input(index)) elements += node.elements(index);
  }
  return static_cast<double>(4 * elements);
}

}  // namespace

void register_other_attention(OperatorTable& table) {
  for (const auto* op : {"PagedAttention", "SparsePagedAttention"}) {
    table.add(std::string("com.microsoft.") + op,
              {.shapes = {{paged_shape}},
               .parts = paged_rows,
               .least_bytes = paged_bytes,
               .unsupported = "which pages of the cache it reads is only known when it runs; how "
                              "many, --input with the lengths of the past says"});
  }
  constexpr std::string_view leaves_out = "no library here leaves blocks of the scores out";
  table.add(
      "com.microsoft.SparseAttention",
      {.shapes = {{sparse_shape}}, .least_bytes = bytes_besides_caches, .unsupported = leaves_out});
  table.add(
      "com.microsoft.LongformerAttention",
      {.shapes = {{like_first}}, .least_bytes = bytes_besides_caches, .unsupported = leaves_out});
  table.add("com.microsoft.DynamicSparseAttention", {.unsupported = leaves_out});
  table.add("com.microsoft.DecoderAttention",
            {.shapes = {{like_first}},
             .least_bytes = bytes_besides_caches,
             .unsupported = "which keys it reads is only known when it runs"});
}

}  // namespace benanza::onnx
