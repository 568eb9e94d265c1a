#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

/// Sequence operators that carry a state from run to run (opset 27).
namespace benanza::onnx::shapes {
namespace {

/// Query, key and value of batch, length, heads * size; the state of batch, heads, key size, value
/// size.
std::vector<TensorFacts> linear_attention(const Site& site) {
  const Dims& q = site.shape(0);
  const Dims& k = site.shape(1);
  const Dims& v = site.shape(2);
  const std::int64_t heads = site.node().integer("q_num_heads", 0);
  const std::int64_t kv_heads = site.node().integer("kv_num_heads", 0);
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || heads < 1 || kv_heads < 1) {
    throw Error("q, k and v need three axes each, and heads");
  }
  const std::int64_t v_size = v[2] / kv_heads;
  return {{site.input(0).type, Dims{q[0], q[1], checked_product(heads, v_size)}},
          {site.input(0).type, Dims{q[0], kv_heads, k[2] / kv_heads, v_size}}};
}

/// Input of batch, channels, length; the state holds what the next window begins with.
std::vector<TensorFacts> causal_convolution(const Site& site) {
  const Dims& input = site.shape(0);
  const Dims& weights = site.shape(1);
  if (input.size() != 3 || weights.size() != 3) throw Error("input and weights need three axes");
  return {{site.input(0).type, input},
          {site.input(0).type, Dims{input[0], input[1], weights[2] - 1}}};
}

}  // namespace

void register_linear_attention(ShapeTable& table) {
  table.add("LinearAttention", linear_attention);
  table.add("CausalConvWithState", causal_convolution);
}

}  // namespace benanza::onnx::shapes
