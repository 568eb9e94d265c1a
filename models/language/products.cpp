#include "models/language/products.h"

#include "core/base/error.h"

namespace benanza::language {
namespace {

using ::onnx::TensorProto;

/// Sums over k whose terms are about 1 / k: activations stay finite at any depth.
float weight_value(std::int64_t k) { return 1.0F / static_cast<float>(k); }

Dims with_last(Dims dims, std::int64_t extent) {
  dims.back() = extent;
  return dims;
}

/// x converted to `type` and back, with one scale.
Tensor converted(Graph& graph, const std::string& name, const Tensor& x, int type) {
  const Tensor scale = graph.constant("activation.scale", TensorProto::FLOAT, {1}, 1.0F / 64);
  const Tensor zero = graph.constant("activation.zero", type, {1}, 0);
  const Tensor stored = graph.add("QuantizeLinear", name + ".quantize", {x, scale, zero}, x.dims);
  return graph.add("DequantizeLinear", name + ".dequantize", {stored, scale, zero}, x.dims);
}

/// Both operands converted, as one call of a library takes them.
Tensor narrow_product(Graph& graph, const Tensor& x, const Product& product, int type) {
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const bool columns = type == TensorProto::INT8;
  const Tensor packed = graph.packed(product.name + ".weight", type, {k, n}, 8, k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {columns ? n : 1});
  const Tensor weights =
      graph.add("DequantizeLinear", product.name + ".weights", {packed, scales}, {k, n});
  if (columns) zoo::set(graph.last(), "axis", std::int64_t{1});
  const Tensor a = converted(graph, product.name + ".x", x, type);
  return graph.add("MatMul", product.name, {a, weights}, with_last(x.dims, n));
}

Tensor block_product(Graph& graph, const Tensor& x, const Product& product, std::int64_t bits,
                     std::int64_t block) {
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const std::int64_t blocks = (k + block - 1) / block;
  const Tensor packed = graph.packed(product.name + ".weight", TensorProto::UINT8,
                                     {n, blocks, block * bits / 8}, static_cast<int>(bits), k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {n, blocks});
  const Tensor y =
      graph.add("MatMulNBits", product.name, {x, packed, scales}, with_last(x.dims, n));
  ::onnx::NodeProto& node = graph.last();
  node.set_domain("com.microsoft");
  zoo::set(node, "K", k);
  zoo::set(node, "N", n);
  zoo::set(node, "bits", bits);
  zoo::set(node, "block_size", block);
  return y;
}

/// The data are converted, too: the libraries' products in blocks take nothing else.
Tensor fp8_block_product(Graph& graph, const Tensor& x, const Product& product) {
  constexpr std::int64_t block = 128;
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const Tensor packed = graph.packed(product.name + ".weight", float8_e4m3fn, {n, k}, 8, k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {n, (k + block - 1) / block});
  const Tensor a = converted(graph, product.name + ".x", x, float8_e4m3fn);
  const Tensor y = graph.add("MatMulBlockQuantizedFp8Weight", product.name, {a, packed, scales},
                             with_last(x.dims, n));
  graph.last().set_domain("com.microsoft");
  zoo::set(graph.last(), "block_size", block);
  return y;
}

}  // namespace

Tensor multiply(Graph& graph, const WeightType& weights, const Tensor& x, const Product& product) {
  using Kind = WeightType::Kind;
  const std::int64_t k = x.dims.back();
  Tensor y;
  switch (weights.kind) {
    case Kind::plain:
      y = graph.add(
          "MatMul", product.name,
          {x, graph.parameter(product.name + ".weight", {k, product.columns}, weight_value(k))},
          with_last(x.dims, product.columns));
      break;
    case Kind::fp8:
      y = narrow_product(graph, x, product, float8_e4m3fn);
      break;
    case Kind::int8:
      y = narrow_product(graph, x, product, TensorProto::INT8);
      break;
    case Kind::fp8_block:
      y = fp8_block_product(graph, x, product);
      break;
    case Kind::int8_blocks:
      y = block_product(graph, x, product, 8, weights.block);
      break;
    case Kind::int4_blocks:
      y = block_product(graph, x, product, 4, weights.block);
      break;
  }
  if (!product.bias) return y;
  return elementwise(graph, "Add", product.name + ".add_bias", y,
                     graph.parameter(product.name + ".bias", {product.columns}, 0));
}

Tensor all_reduce(Graph& graph, const std::string& name, const Tensor& x, std::int64_t ranks) {
  if (ranks == 1) return x;
  const Tensor sum = graph.add("AllReduce", name, {x}, x.dims);
  graph.last().set_domain("com.microsoft");
  zoo::set(graph.last(), "group_size", ranks);
  return sum;
}

Tensor rms_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon,
                bool factors) {
  const std::int64_t length = x.dims.back();
  const Tensor scale =
      factors ? graph.parameter(name + ".weight", {length}, 1)
              : graph.constant("ones." + std::to_string(length), TensorProto::FLOAT, {length}, 1);
  const Tensor y = graph.add("RMSNormalization", name, {x, scale}, x.dims);
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  zoo::set(graph.last(), "epsilon", epsilon);
  return y;
}

Tensor elementwise(Graph& graph, const std::string& op_type, const std::string& name,
                   const Tensor& a, const Tensor& b) {
  return graph.add(op_type, name, {a, b}, a.dims);
}

Tensor unary(Graph& graph, const std::string& op_type, const std::string& name, const Tensor& x) {
  return graph.add(op_type, name, {x}, x.dims);
}

Tensor scaled(Graph& graph, const std::string& name, const Tensor& x, float factor) {
  return elementwise(graph, "Mul", name, x,
                     graph.constant(name + ".factor", TensorProto::FLOAT, {1}, factor));
}

Tensor capped(Graph& graph, const std::string& name, const Tensor& x, float cap) {
  if (cap == 0) return x;
  return scaled(graph, name + ".scale",
                unary(graph, "Tanh", name + ".tanh", scaled(graph, name, x, 1 / cap)), cap);
}

Tensor reshaped(Graph& graph, const std::string& name, const Tensor& x, const Dims& dims) {
  return graph.add("Reshape", name, {x, graph.integers(name + ".shape", dims)}, dims);
}

Tensor transposed(Graph& graph, const std::string& name, const Tensor& x, const Dims& order) {
  Dims dims;
  for (const std::int64_t axis : order) dims.push_back(x.dims.at(static_cast<std::size_t>(axis)));
  const Tensor y = graph.add("Transpose", name, {x}, dims);
  zoo::set(graph.last(), "perm", order);
  return y;
}

std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const Dims& parts) {
  std::vector<Dims> dims;
  for (const std::int64_t part : parts) dims.push_back(with_last(x.dims, part));
  const auto results = graph.add("Split", name, {x, graph.integers(name + ".parts", parts)}, dims);
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  return results;
}

Tensor concatenated(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  const Tensor y =
      graph.add("Concat", name, {a, b}, with_last(a.dims, a.dims.back() + b.dims.back()));
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  return y;
}

std::int64_t share(std::int64_t whole, std::int64_t ranks, const std::string& what) {
  if (whole % ranks != 0) {
    throw Error("--tensor-parallel " + std::to_string(ranks) + ": does not divide " +
                std::to_string(whole) + ' ' + what);
  }
  return whole / ranks;
}

}  // namespace benanza::language
