#include <algorithm>
#include <type_traits>
#include <variant>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"

namespace benanza::onnx {
namespace {

/// Extents of input `index`; with attribute `turned`, its first axis is that of the rows, before
/// the batch.
Dims with_batch_first(const NodeView& node, std::size_t index, std::string_view turned) {
  Dims dims = node.shape(index);
  if (node.flag(turned) && dims.size() > 2) {
    std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
  }
  return dims;
}

/// A MatMul whose operands may be stored transposed.
std::vector<TensorFacts> fused_matmul_shape(const NodeView& node) {
  Dims a = with_batch_first(node, 0, "transBatchA");
  Dims b = with_batch_first(node, 1, "transBatchB");
  if (a.size() < 2 || b.size() < 2) throw NotExpressible("vectors");
  const bool transposed_a = node.flag("transA");
  const bool transposed_b = node.flag("transB");
  const std::int64_t m = a.end()[transposed_a ? -1 : -2];
  const std::int64_t n = b.end()[transposed_b ? -2 : -1];
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Dims dims = broadcast_dims(a, b);
  dims.insert(dims.end(), {m, n});
  return {{node.input(0).type, dims}};
}

std::vector<TensorFacts> matmul_nbits_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() = node.integer("N", 0);
  return {{node.input(0).type, dims}};
}

/// Inputs: A, B packed as N x blocks x bytes, scales, zero points, an order of the rows, a bias.
Lowered lower_matmul_nbits(const NodeView& node) {
  const Dims& a = node.shape(0);
  Gemm shape;
  shape.n = node.integer("N", 0);
  shape.k = node.integer("K", 0);
  shape.transpose_b = true;
  shape.constant_b = node.input(1).constant;
  if (!shape.constant_b) throw NotExpressible("weights that change with every run");
  if (shape.n < 1 || shape.k < 1 || a.empty() || a.back() != shape.k) {
    throw Error(join(a, 'x') + " and K of " + std::to_string(shape.k) + " do not multiply");
  }
  shape.m = element_count(a) / shape.k;
  std::vector<Call> calls;
  Source data = from_input(0);
  if (node.has_input(4)) {
    // Blocks of rows in another order: with the weights in order, which loading can do, those of A
    // change places in every run.
    if (!node.input(4).constant) throw NotExpressible("an order of rows that changes");
    calls.push_back(proxy_copy(node, element_count(a)));
    data = from_call(0);
  }
  Call product = call(shape, {data, from_input(1)});
  product.problem.packed = nbits_weights(node, 1, shape, node.has_input(3));
  const bool rounds_data = product.problem.packed->rounds_data;
  const Dims dims = output(product.problem);
  calls.push_back(std::move(product));
  if (node.has_input(5)) {
    calls.push_back(elementwise_call(BinaryKind::add, {dims, false, last_result(calls)},
                                     operand_of(node, 5, node.extents(5))));
  }
  Lowered lowered = measured(std::move(calls));
  if (rounds_data) {
    lowered.reason =
        "runtimes may round its data to int8 (accuracy_level 4), calls here to bf16 at most";
  }
  return lowered;
}

/// A product of two small vectors or matrices of numbers.
std::vector<Literal> fold_matmul(const NodeView& node) {
  constexpr std::int64_t most_terms = std::int64_t{1} << 22;
  const Dims& a = node.shape(0);
  const Dims& b = node.shape(1);
  const bool has_batches = a.empty() || a.size() > 2 || b.empty() || b.size() > 2;
  if (has_batches) throw NotExpressible("a product of other than vectors and matrices");
  const std::int64_t rows = a.size() == 1 ? 1 : a[0];
  const std::int64_t columns = b.size() == 1 ? 1 : b[1];
  const std::int64_t terms = a.back();
  if (element_count({rows, terms, columns}) > most_terms) throw NotExpressible("a large product");
  return {std::visit(
      [&](const auto& left) -> Literal {
        using Values = std::decay_t<decltype(left)>;
        const auto& right = std::get<Values>(node.literal(1));
        Values result;
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t column = 0; column < columns; ++column) {
            typename Values::value_type sum{};
            for (std::int64_t term = 0; term < terms; ++term) {
              const auto x = left[static_cast<std::size_t>(row * terms + term)];
              const auto y = right[static_cast<std::size_t>(term * columns + column)];
              if constexpr (std::is_integral_v<typename Values::value_type>) {
                sum = checked_sum(sum, checked_product(x, y));
              } else {
                sum += x * y;
              }
            }
            result.push_back(sum);
          }
        }
        return result;
      },
      node.literal(0))};
}

Lowered lower_matmul(const NodeView& node) { return measured({matmul_call(node, {})}); }

/// A MatMul whose operands may be stored transposed, times alpha, which is folded into a constant
/// second operand or becomes a separate call.
Lowered lower_fused_matmul(const NodeView& node) {
  const Dims a = with_batch_first(node, 0, "transBatchA");
  const Dims b = with_batch_first(node, 1, "transBatchB");
  Call product = product_call(a, from_input(0), b, from_input(1), node.input(1).constant,
                              node.flag("transA"), node.flag("transB"));
  // Libraries read matrices with gaps between their rows; where these are, the call does not say.
  product.is_proxy = a != node.shape(0) || b != node.shape(1);
  const float alpha = node.real("alpha", 1);
  if (node.input(1).constant) {
    product.operands[1].scale = alpha;
    return measured({product});
  }
  std::vector<Call> calls{product};
  if (alpha != 1) {
    calls.push_back(
        function_call(output(product.problem), ActivationKind::linear, from_call(0), alpha));
  }
  return measured(std::move(calls));
}

/// Then a function.
Lowered lower_fused_matmul_activation(const NodeView& node) {
  Lowered lowered = lower_fused_matmul(node);
  add_activation(node, activation_parameters(node), lowered.calls);
  return lowered;
}

/// X times W, plus a bias if there is one, then the gelu by tanh.
Lowered lower_gemm_fast_gelu(const NodeView& node) {
  std::vector<Call> calls{matmul_call(node, {})};
  const Dims dims = output(calls[0].problem);
  if (node.has_input(2)) {
    calls.push_back(elementwise_call(BinaryKind::add, {dims, false, from_call(0)},
                                     operand_of(node, 2, node.extents(2))));
  }
  calls.push_back(function_call(dims, ActivationKind::gelu_tanh, last_result(calls)));
  return measured(std::move(calls));
}

}  // namespace

void register_matmul(OperatorTable& table) {
  table.add("MatMul", {.fold = fold_matmul, .lower = lower_matmul, .reads_all_constants = true});
  for (const auto* op : {"com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul"}) {
    table.add(op, {.shapes = {{fused_matmul_shape}}, .lower = lower_fused_matmul});
  }
  // A softmax, which alone has an axis and for which there is no fusion, is refused.
  table.add("com.microsoft.FusedMatMulActivation",
            {.shapes = {{fused_matmul_shape}},
             .lower = lower_fused_matmul_activation,
             .idle_attributes = {"activation_axis", "activation_gamma"}});
  table.add("com.microsoft.GemmFastGelu",
            {.shapes = {{fused_matmul_shape}}, .lower = lower_gemm_fast_gelu});
  table.add("com.microsoft.MatMulNBits", {.shapes = {{matmul_nbits_shape}},
                                          .lower = lower_matmul_nbits,
                                          .reads_all_constants = true,
                                          .idle_attributes = {"weight_prepacked"},
                                          .idle_inputs = {2}});
}

}  // namespace benanza::onnx
