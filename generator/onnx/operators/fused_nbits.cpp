#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/quantization.h"

/// Several products of one normalized tensor with packed weights, as ONNX Runtime fuses them.
namespace benanza::onnx {
namespace {

constexpr std::size_t skip_input = 1;
constexpr std::size_t norm_input = 2;

Dims rows_of_columns(const NodeView& node, std::string_view columns) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() = node.integer(columns, 0);
  return dims;
}

std::vector<TensorFacts> gated_products_shape(const NodeView& node) {
  const int type = node.input(0).type;
  return {{type, rows_of_columns(node, "N")}, {type, node.shape(0)}};
}

/// Outputs: queries, keys and values, and the sum before the normalization.
std::vector<TensorFacts> three_products_shape(const NodeView& node) {
  const int type = node.input(0).type;
  const Dims keys = rows_of_columns(node, "Nkv");
  return {{type, rows_of_columns(node, "Nq")}, {type, keys}, {type, keys}, {type, node.shape(0)}};
}

class NbitsProducts {
 public:
  explicit NbitsProducts(const NodeView& node) : node_(node), length_(node.integer("K", 0)) {
    const Dims& a = node.shape(0);
    if (length_ < 1 || a.empty() || a.back() != length_) {
      throw Error(join(a, 'x') + " and K of " + std::to_string(length_) + " do not multiply");
    }
    rows_ = element_count(a) / length_;
  }

  /// Adds the other tensor, whose sum is output `sum`, and divides by the root mean square.
  void normalize(float epsilon, int sum) {
    if (node_.has_input(skip_input)) {
      if (!node_.has_input(norm_input)) throw NotExpressible("a sum without a normalization");
      const Dims& dims = node_.shape(0);
      calls_.push_back(elementwise_call(BinaryKind::add, {dims, false, x_},
                                        {node_.shape(skip_input), false, from_input(skip_input)}));
      calls_.back().output = sum;
      x_ = last_result(calls_);
    } else if (node_.has_output(static_cast<std::size_t>(sum))) {
      throw NotExpressible("hands out a sum of one tensor");
    }
    if (!node_.has_input(norm_input)) return;
    const LayerNormalization shape{.rows = rows_,
                                   .length = length_,
                                   .epsilon = epsilon,
                                   .scale = true,
                                   .root_mean_square = true};
    x_ = add_call(calls_, call(shape, {x_, from_input(norm_input)}));
  }

  /// The product with input `weights`, and a bias, the next but one, into output `output`.
  Source multiply(std::size_t weights, std::int64_t columns, int output) {
    if (!node_.input(weights).constant) throw NotExpressible("weights that change with every run");
    if (columns < 1) throw Error("no columns");
    Gemm shape;
    shape.m = rows_;
    shape.n = columns;
    shape.k = length_;
    shape.transpose_b = shape.constant_b = true;
    calls_.push_back(call(shape, {x_, from_input(weights)}));
    calls_.back().problem.packed = nbits_weights(node_, weights, shape, false);
    const std::size_t bias = weights + 2;
    if (node_.has_input(bias)) {
      calls_.push_back(elementwise_call(BinaryKind::add,
                                        {{rows_, columns}, false, last_result(calls_)},
                                        operand_of(node_, bias, node_.extents(bias))));
    }
    calls_.back().output = output;
    return last_result(calls_);
  }

  void gate(const Source& gate, const Source& up, std::int64_t columns) {
    if (node_.text("activation", "") != "silu") {
      throw NotExpressible("gates by " + node_.text("activation", "nothing"));
    }
    const Dims dims{rows_, columns};
    calls_.push_back(function_call(dims, ActivationKind::swish, gate, 1));
    calls_.push_back(
        elementwise_call(BinaryKind::mul, {dims, false, last_result(calls_)}, {dims, false, up}));
  }

  Lowered done() && { return measured(std::move(calls_)); }

 private:
  const NodeView& node_;
  std::int64_t length_;
  std::int64_t rows_ = 0;
  Source x_ = from_input(0);
  std::vector<Call> calls_;
};

/// Inputs: a, another addend, the scale of the normalization; weights, their scales and a bias of
/// the gate, then of what it multiplies.
Lowered lower_gated_products(const NodeView& node) {
  NbitsProducts products(node);
  products.normalize(node.real("epsilon", 1e-5F), 1);
  const std::int64_t columns = node.integer("N", 0);
  const Source gate = products.multiply(3, columns, 0);
  const Source up = products.multiply(6, columns, 0);
  products.gate(gate, up, columns);
  return std::move(products).done();
}

/// Inputs: a, another addend, the scale of the normalization; weights, their scales and a bias of
/// queries, keys and values.
Lowered lower_three_products(const NodeView& node) {
  NbitsProducts products(node);
  products.normalize(node.real("epsilon", 1e-6F), 3);
  products.multiply(3, node.integer("Nq", 0), 0);
  products.multiply(6, node.integer("Nkv", 0), 1);
  products.multiply(9, node.integer("Nkv", 0), 2);
  return std::move(products).done();
}

}  // namespace

void register_fused_nbits(OperatorTable& table) {
  table.add("com.microsoft.MatMulNBitsMlp", {.shapes = {{gated_products_shape}},
                                             .lower = lower_gated_products,
                                             .reads_all_constants = true,
                                             .idle_attributes = {"accuracy_level", "epsilon"},
                                             .idle_inputs = {4, 7}});
  table.add("com.microsoft.MatMulNBitsQkv", {.shapes = {{three_products_shape}},
                                             .lower = lower_three_products,
                                             .reads_all_constants = true,
                                             .idle_attributes = {"accuracy_level"},
                                             .idle_inputs = {4, 7, 10}});
}

}  // namespace benanza::onnx
