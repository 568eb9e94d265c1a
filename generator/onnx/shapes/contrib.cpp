#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "onnx/shapes/table.h"

/// Operators that ONNX Runtime's optimizers write (domain com.microsoft).
namespace benanza::shapes {
namespace {

/// Output 3 is the sum before the normalization.
std::vector<TensorFacts> skip_normalization(const Site& site) {
  const TensorFacts whole = like_input(site, 0);
  Dims rows = site.shape(0);
  if (!rows.empty()) rows.back() = 1;
  const TensorFacts statistics{onnx::TensorProto::FLOAT, rows};
  return {whole, statistics, statistics, whole};
}

/// Word ids (batch, length) to embeddings, a mask index, and the sum of the embeddings.
std::vector<TensorFacts> embed_normalization(const Site& site) {
  const Dims& ids = site.shape(0);
  const Dims& words = site.shape(2);
  if (ids.size() != 2 || words.size() != 2) throw Error("ids and embeddings need two axes each");
  const TensorFacts embedded{site.input(2).type, Dims{ids[0], ids[1], words[1]}};
  return {embedded, {onnx::TensorProto::INT32, Dims{ids[0]}}, embedded};
}

/// MatMul of tensors that may be stored transposed.
std::vector<TensorFacts> fused_matmul(const Site& site) {
  Dims a = site.shape(0);
  Dims b = site.shape(1);
  if (a.size() < 2 || b.size() < 2) throw NotExpressible("vectors");
  if (site.node().integer("transBatchA", 0) != 0 || site.node().integer("transBatchB", 0) != 0) {
    throw NotExpressible("batches that are stored transposed");
  }
  const bool transposed_a = site.node().integer("transA", 0) != 0;
  const bool transposed_b = site.node().integer("transB", 0) != 0;
  const std::int64_t m = a.end()[transposed_a ? -1 : -2];
  const std::int64_t n = b.end()[transposed_b ? -2 : -1];
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Dims dims = broadcast_dims(a, b);
  dims.insert(dims.end(), {m, n});
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> matmul_nbits(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() = site.node().integer("N", 0);
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> dynamic_quantize_matmul(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.empty() || site.shape(1).size() != 2) throw NotExpressible("a batch of weights");
  dims.back() = site.shape(1)[1];
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> bias_split_gelu(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() /= 2;
  return {{site.input(0).type, dims}};
}

}  // namespace

void register_contrib(ShapeTable& table) {
  table.add("com.microsoft.SkipLayerNormalization", skip_normalization);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", skip_normalization);
  table.add("com.microsoft.EmbedLayerNormalization", embed_normalization);
  table.add("com.microsoft.FusedMatMul", fused_matmul);
  table.add("com.microsoft.MatMulNBits", matmul_nbits);
  table.add("com.microsoft.DynamicQuantizeMatMul", dynamic_quantize_matmul);
  table.add("com.microsoft.MatMulIntegerToFloat", dynamic_quantize_matmul);
  table.add("com.microsoft.BiasSplitGelu", bias_split_gelu);
}

}  // namespace benanza::shapes
