#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

/// Operators that ONNX Runtime's optimizers write (domain com.microsoft).
namespace benanza::onnx::shapes {
namespace {

/// Output 3 is the sum before the normalization.
std::vector<TensorFacts> skip_normalization(const Site& site) {
  const TensorFacts whole = like_input(site, 0);
  Dims rows = site.shape(0);
  if (!rows.empty()) rows.back() = 1;
  const TensorFacts statistics{::onnx::TensorProto::FLOAT, rows};
  return {whole, statistics, statistics, whole};
}

/// Word ids (batch, length) to embeddings, a mask index, and the sum of the embeddings.
std::vector<TensorFacts> embed_normalization(const Site& site) {
  const Dims& ids = site.shape(0);
  const Dims& words = site.shape(2);
  if (ids.size() != 2 || words.size() != 2) throw Error("ids and embeddings need two axes each");
  const TensorFacts embedded{site.input(2).type, Dims{ids[0], ids[1], words[1]}};
  return {embedded, {::onnx::TensorProto::INT32, Dims{ids[0]}}, embedded};
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

/// A and B, each transposed or not; C broadcasts to the product.
std::vector<TensorFacts> fused_gemm(const Site& site) {
  const Dims& a = site.shape(0);
  const Dims& b = site.shape(1);
  if (a.size() != 2 || b.size() != 2) throw Error("A and B need two axes each");
  return {{site.input(0).type, Dims{a[site.node().integer("transA", 0) != 0 ? 1 : 0],
                                    b[site.node().integer("transB", 0) != 0 ? 0 : 1]}}};
}

/// Inputs: A, its scale and zero point, B, its scale and zero point, C, the result's scale and zero
/// point, without which it is a float.
std::vector<TensorFacts> quantized_gemm(const Site& site) {
  const Dims& a = site.shape(0);
  const Dims& b = site.shape(3);
  if (a.size() != 2 || b.size() != 2) throw Error("A and B need two axes each");
  return {{site.has_input(7) ? site.input(0).type : site.input(1).type,
           Dims{a[site.node().integer("transA", 0) != 0 ? 1 : 0],
                b[site.node().integer("transB", 0) != 0 ? 0 : 1]}}};
}

/// Inputs: the result's scale and zero point, then each part with its own.
std::vector<TensorFacts> quantized_concat(const Site& site) {
  Dims dims = site.shape(2);
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", 0), dims.size()));
  for (std::size_t index = 5; index < site.input_count(); index += 3) {
    const Dims& part = site.shape(index);
    if (part.size() != dims.size()) throw Error("parts of other axes");
    dims[axis] = checked_sum(dims[axis], part[axis]);
  }
  return {{site.input(2).type, dims}};
}

/// Out of the blocked layout, whose channels are filled up.
std::vector<TensorFacts> reorder_output(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.size() < 2) throw Error("an input without channels");
  dims[1] = site.node().integer("channels", dims[1]);
  if (site.node().integer("channels_last", 0) != 0) {
    dims.push_back(dims[1]);
    dims.erase(dims.begin() + 1);
  }
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> reorder_input(const Site& site) {
  Dims dims = site.shape(0);
  if (dims.size() < 2) throw Error("an input without channels");
  if (site.node().integer("channels_last", 0) != 0) {
    dims.insert(dims.begin() + 1, dims.back());
    dims.pop_back();
  }
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> mixture_of_experts(const Site& site) { return {like_input(site, 0)}; }

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
  table.add("com.microsoft.FusedGemm", fused_gemm);
  table.add("com.microsoft.QGemm", quantized_gemm);
  table.add("com.microsoft.QLinearConcat", quantized_concat);
  table.add("com.microsoft.nchwc.ReorderInput", reorder_input);
  table.add("com.microsoft.nchwc.ReorderOutput", reorder_output);
  for (const auto* op : {"com.microsoft.MoE", "com.microsoft.QMoE"}) {
    table.add(op, mixture_of_experts);
  }
}

}  // namespace benanza::onnx::shapes
