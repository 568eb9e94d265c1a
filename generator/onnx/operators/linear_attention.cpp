#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/operator.h"

/// Sequence operators that carry a state from run to run (opset 27).
namespace benanza::onnx {
namespace {

/// Query, key and value: (batch, length, heads * size). State: (batch, heads, key size, value
/// size).
std::vector<TensorFacts> linear_attention_shape(const NodeView& node) {
  const Dims& q = node.shape(0);
  const Dims& k = node.shape(1);
  const Dims& v = node.shape(2);
  const std::int64_t heads = node.integer("q_num_heads", 0);
  const std::int64_t kv_heads = node.integer("kv_num_heads", 0);
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || heads < 1 || kv_heads < 1) {
    throw Error("q, k and v need three axes each, and heads");
  }
  const std::int64_t v_size = v[2] / kv_heads;
  return {{node.input(0).type, Dims{q[0], q[1], checked_product(heads, v_size)}},
          {node.input(0).type, Dims{q[0], kv_heads, k[2] / kv_heads, v_size}}};
}

/// Input: (batch, channels, length). The state holds the start of the next window.
std::vector<TensorFacts> causal_convolution_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& weights = node.shape(1);
  if (input.size() != 3 || weights.size() != 3) throw Error("input and weights need three axes");
  return {{node.input(0).type, input},
          {node.input(0).type, Dims{input[0], input[1], weights[2] - 1}}};
}

}  // namespace

void register_linear_attention(OperatorTable& table) {
  table.add("LinearAttention",
            {.shapes = {{linear_attention_shape}},
             .unsupported = "no library here has attention that carries a state"});
  table.add("CausalConvWithState",
            {.shapes = {{causal_convolution_shape}},
             .unsupported = "no library here has convolutions that carry a state"});
}

}  // namespace benanza::onnx
