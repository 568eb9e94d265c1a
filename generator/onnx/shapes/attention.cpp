#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::shapes {
namespace {

/// An input of at least three axes.
const Dims& rows(const Site& site, std::size_t index) {
  const Dims& dims = site.shape(index);
  if (dims.size() < 3) throw Error("input " + std::to_string(index) + " needs three axes");
  return dims;
}

Dims with_last(Dims dims, std::int64_t last) {
  dims.back() = last;
  return dims;
}

std::int64_t attribute(const Site& site, std::string_view name) {
  const std::int64_t value = site.node().integer(name, 0);
  if (value < 1) throw Error("attribute \"" + std::string(name) + "\" must be at least 1");
  return value;
}

/// Attention of opset 23: q, k, v of batch, heads, length, size, or of batch, length, heads * size;
/// outputs y, present key, present value, and the products.
std::vector<TensorFacts> attention(const Site& site) {
  const Dims& q = site.shape(0);
  const Dims& k = site.shape(1);
  const Dims& v = site.shape(2);
  if (q.size() != k.size() || k.size() != v.size() || (q.size() != 3 && q.size() != 4)) {
    throw Error("q, k and v need 3 or 4 axes each");
  }
  const bool flat = q.size() == 3;
  const std::int64_t q_heads = flat ? attribute(site, "q_num_heads") : q[1];
  const std::int64_t kv_heads = flat ? attribute(site, "kv_num_heads") : k[1];
  const std::int64_t k_size = flat ? k[2] / kv_heads : k[3];
  const std::int64_t v_size = flat ? v[2] / kv_heads : v[3];
  const std::int64_t q_length = flat ? q[1] : q[2];
  const std::int64_t past = site.has_input(4) ? site.shape(4).at(2) : 0;
  const std::int64_t length = past + (flat ? k[1] : k[2]);
  Dims y = flat ? Dims{q[0], q_length, checked_product(q_heads, v_size)}
                : Dims{q[0], q_heads, q_length, v_size};
  const int type = site.input(0).type;
  return {{type, y},
          {site.input(1).type, Dims{k[0], kv_heads, length, k_size}},
          {site.input(2).type, Dims{v[0], kv_heads, length, v_size}},
          {type, Dims{q[0], q_heads, q_length, length}}};
}

/// Query (batch, length, hidden), key, value; or packed QKV of five axes.
std::vector<TensorFacts> multi_head_attention(const Site& site) {
  const Dims& q = rows(site, 0);
  if (q.size() == 5) return {{site.input(0).type, Dims{q[0], q[1], q[2] * q[4]}}};
  const std::int64_t heads = attribute(site, "num_heads");
  std::int64_t hidden = q.back();
  std::int64_t k_length = q[1];
  std::int64_t v_size = hidden / heads;
  if (site.has_input(1)) {
    const Dims& k = rows(site, 1);
    k_length = k.size() == 4 ? k[2] : k[1];
  }
  if (site.has_input(2)) {
    const Dims& v = rows(site, 2);
    v_size = v.size() == 4 ? v[3] : v.back() / heads;
    hidden = checked_product(v_size, heads);
  }
  const std::int64_t past = site.has_input(6) ? site.shape(6).at(2) : 0;
  const int type = site.input(0).type;
  return {{type, with_last(q, hidden)},
          {type, Dims{q[0], heads, past + k_length, q.back() / heads}},
          {type, Dims{q[0], heads, past + k_length, v_size}}};
}

/// Input (batch, length, hidden) and weights of hidden x (q + k + v).
std::vector<TensorFacts> packed_attention(const Site& site) {
  const Dims& input = rows(site, 0);
  if (site.shape(1).empty()) throw Error("weights without axes");
  const std::int64_t heads = attribute(site, "num_heads");
  const auto sizes = site.node().integers("qkv_hidden_sizes");
  const std::int64_t hidden =
      sizes && sizes->size() == 3 ? sizes->back() : site.shape(1).back() / 3;
  const int type = site.input(0).type;
  std::vector<TensorFacts> facts{{type, with_last(input, hidden)}};
  const std::int64_t past = site.has_input(4) ? site.shape(4).at(3) : 0;
  facts.push_back({type, Dims{2, input[0], heads, past + input[1], hidden / heads}});
  return facts;
}

/// Query (batch, length, heads * size) beside key and value of fewer heads; or all packed in one.
std::vector<TensorFacts> group_query_attention(const Site& site) {
  const Dims& q = rows(site, 0);
  const std::int64_t heads = attribute(site, "num_heads");
  const std::int64_t kv_heads = attribute(site, "kv_num_heads");
  const bool packed = !site.has_input(1);
  const std::int64_t size =
      packed ? q.back() / checked_sum(heads, checked_product(2, kv_heads)) : q.back() / heads;
  const std::int64_t past = site.has_input(3) ? site.shape(3).at(2) : 0;
  const Dims cache{q[0], kv_heads, past + q[1], size};
  const int type = site.input(0).type;
  return {{type, with_last(q, checked_product(heads, size))}, {type, cache}, {type, cache}};
}

}  // namespace

void register_attention(ShapeTable& table) {
  table.add("Attention", attention);
  table.add("com.microsoft.MultiHeadAttention", multi_head_attention);
  table.add("com.microsoft.Attention", packed_attention);
  table.add("com.microsoft.GroupQueryAttention", group_query_attention);
}

}  // namespace benanza::onnx::shapes
