#include "core/base/error.h"
#include "generator/onnx/operators/shared/attention_inputs.h"

/// Attention of ONNX Runtime that no library here has: shapes and reasons.
namespace benanza::onnx {
namespace {

/// Bytes times weights of bytes, then attention. Input 3 is the scale of the data.
std::vector<TensorFacts> quantized_attention_shape(const NodeView& node) {
  const Dims& input = rows_of_input(node, 0);
  if (node.shape(1).empty()) throw Error("weights without axes");
  const std::int64_t heads = positive(node, "num_heads");
  const std::int64_t hidden = node.shape(1).back() / 3;
  const std::int64_t past = node.has_input(8) ? node.shape(8).at(3) : 0;
  const int type = node.input(3).type;
  return {{type, with_last(input, hidden)},
          {type, Dims{2, input[0], heads, past + input[1], hidden / heads}}};
}

/// Tokens of all sequences one after the other, without padding.
std::vector<TensorFacts> packed_rows_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty() || node.shape(1).empty()) throw Error("an input or weights without axes");
  const auto sizes = node.integers("qkv_hidden_sizes");
  dims.back() = sizes && sizes->size() == 3 ? sizes->back() : node.shape(1).back() / 3;
  return {{node.input(0).type, dims}};
}

/// Queries (tokens, heads * size); the cache keeps its extents and its type.
std::vector<TensorFacts> paged_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("queries without axes");
  if (!node.has_input(1)) {
    const std::int64_t heads = positive(node, "num_heads");
    dims.back() = dims.back() / (heads + 2 * positive(node, "kv_num_heads")) * heads;
  }
  const auto cache = [&](std::size_t index) -> TensorFacts {
    if (!node.has_input(index)) return {};
    return {node.input(index).type, node.input(index).shape};
  };
  return {{node.input(0).type, dims}, cache(3), cache(4)};
}

}  // namespace

void register_other_attention(OperatorTable& table) {
  table.add("com.microsoft.QAttention",
            {.shapes = {{quantized_attention_shape}},
             .unsupported = "no library here has attention that begins with a product of bytes",
             .reads_all_constants = true});
  constexpr std::string_view lengths =
      "which tokens are of one sequence is only known when it runs";
  table.add("com.microsoft.PackedAttention",
            {.shapes = {{packed_rows_shape}}, .unsupported = lengths, .reads_all_constants = true});
  table.add("com.microsoft.PackedMultiHeadAttention", {.unsupported = lengths});
  for (const auto* op : {"PagedAttention", "SparsePagedAttention"}) {
    table.add(std::string("com.microsoft.") + op,
              {.shapes = {{paged_shape}},
               .unsupported = "which pages of the cache it reads is only known when it runs"});
  }
  for (const auto* op : {"SparseAttention", "LongformerAttention", "DynamicSparseAttention"}) {
    table.add(std::string("com.microsoft.") + op,
              {.unsupported = "no library here leaves blocks of the scores out"});
  }
  for (const auto* op :
       {"DecoderAttention", "DecoderMaskedSelfAttention", "DecoderMaskedMultiHeadAttention"}) {
    table.add(std::string("com.microsoft.") + op,
              {.unsupported = "which keys it reads is only known when it runs"});
  }
}

}  // namespace benanza::onnx
