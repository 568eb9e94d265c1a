#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Operators of ONNX Runtime for which no library here has a call: their shapes, so that what
/// follows them keeps its own, and what they read at least.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> like_second(const NodeView& node) {
  return {{node.input(1).type, node.input(1).shape}};
}

std::vector<TensorFacts> broadcast_shape(const NodeView& node) {
  return {{node.input(0).type, broadcast_dims(node.shape(0), node.shape(1))}};
}

/// Rows of A and of B.
std::vector<TensorFacts> distances_shape(const NodeView& node) {
  return {{node.input(0).type, Dims{node.shape(0).at(0), node.shape(1).at(0)}}};
}

std::vector<TensorFacts> truth_of_all_shape(const NodeView&) {
  return {{::onnx::TensorProto::BOOL, Dims{}}};
}

std::vector<TensorFacts> hashes_shape(const NodeView& node) {
  const bool positive = node.flag("positive", true);
  return {
      {positive ? ::onnx::TensorProto::UINT32 : ::onnx::TensorProto::INT32, node.input(0).shape}};
}

template <int type>
std::vector<TensorFacts> product_shape(const NodeView& node) {
  Dims a = node.shape(0);
  Dims b = node.shape(1);
  if (a.size() < 2 || b.size() < 2) throw NotExpressible("products of vectors");
  if (node.flag("transA")) std::swap(a.end()[-1], a.end()[-2]);
  if (node.flag("transB")) std::swap(b.end()[-1], b.end()[-2]);
  const Dims matrix{a.end()[-2], b.back()};
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Dims dims = broadcast_dims(a, b);
  dims.insert(dims.end(), matrix.begin(), matrix.end());
  return {{type == 0 ? node.input(1).type : type, dims}};
}

/// Inputs: an image, regions, the image of each, the extents of the results.
std::vector<TensorFacts> crops_shape(const NodeView& node) {
  const Dims crop = node.integers(3);
  if (crop.size() != 2) throw Error("crop_size of other than two extents");
  return {{node.input(0).type, Dims{node.shape(1).at(0), node.shape(0).at(1), crop[0], crop[1]}}};
}

/// Of the image no more pixels than four for each of the results'.
std::vector<PartRead> pixels_of_crops(const NodeView& node) {
  const Dims& image = node.shape(0);
  const Dims& made = node.output_shape(0);
  if (image.size() != 4 || made.size() != 4) throw NotExpressible("images of other than two axes");
  const std::int64_t pixels = image[0] * image[2] * image[3];
  const std::int64_t taken = made[0] * made[2] * made[3];
  return {{.input = 0, .most = std::min(pixels, taken * 4), .of = pixels}};
}

/// Inputs: rows of tokens (sequences, length, ...), and where each token is.
std::vector<TensorFacts> with_padding_shape(const NodeView& node) {
  const Dims& places = node.shape(1);
  if (places.size() != 2 || node.shape(0).empty()) throw Error("token_offset needs two axes");
  return {{node.input(0).type, Dims{places[0], places[1], node.shape(0).back()}}};
}

std::vector<TensorFacts> two_rotated_shape(const NodeView& node) {
  return {{node.input(1).type, node.input(1).shape}, {node.input(3).type, node.input(3).shape}};
}

/// Data, and queries, keys and values with weights of their own (inputs 5 to 7).
std::vector<TensorFacts> ordered_attention_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty() || node.shape(7).empty()) throw Error("an input or weights without axes");
  dims.back() = node.shape(7).back();
  return {{node.input(0).type, dims}};
}

std::vector<TensorFacts> word_vectors_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("words without characters");
  dims.back() = node.integer("embedding_size", node.shape(1).at(0));
  return {{node.input(1).type, dims}};
}

/// What is no padding: at most all tokens; where each is, where sequences begin, the longest.
std::vector<std::optional<MaxShape>> without_padding_max_shapes(const NodeView& node) {
  const Dims& dims = node.shape(0);
  if (dims.size() != 3) throw NotExpressible("an input of other than three axes");
  constexpr int count = ::onnx::TensorProto::INT32;
  return {MaxShape{node.input(0).type, {checked_product(dims[0], dims[1]), dims[2]}, {0}},
          MaxShape{count, {dims[0], dims[1]}, {}}, MaxShape{count, {dims[0] + 1}, {}},
          MaxShape{count, {1}, {}}};
}

/// The first columns of the product, and half of the others.
std::vector<TensorFacts> router_shape(const NodeView& node) {
  const std::int64_t columns = node.shape(1).at(1);
  const std::int64_t router = node.integer("router_size", 0);
  Dims dims = node.shape(0);
  if (dims.empty() || router < 0 || router > columns) throw Error("a router of other columns");
  dims.back() = router;
  const TensorFacts first{node.input(0).type, dims};
  dims.back() = (columns - router) / 2;
  return {first, {node.input(0).type, dims}};
}

/// Grouped (..., branches, elements), or flattened.
std::vector<TensorFacts> one_stream_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("streams without axes");
  if (const std::int64_t branches = node.integer("num_branches", 0); branches > 0) {
    dims.back() /= branches;
  } else if (dims.size() > 1) {
    dims.erase(dims.end() - 2);
  }
  return {{node.input(0).type, dims}};
}

/// Tokens, whose places are known when it runs, to or from rows with padding.
Lowered lower_tokens(const NodeView& node) {
  Lowered lowered = movement({proxy_copy(node, element_count(node.output_shape(0)))});
  lowered.reason = "finding where tokens are is not counted";
  return lowered;
}

struct Named {
  const char* op;
  ShapeFunction shape;
  std::string_view reason;
  bool reads_all_constants = false;
};

constexpr Named all_named[] = {
    {"BranchwiseRMSNorm", like_first, "no library here normalizes branches"},
    {"CDist", distances_shape, "no library here has distances"},
    {"ComplexMul", broadcast_shape, "no library here has complex numbers"},
    {"ComplexMulConj", broadcast_shape, "no library here has complex numbers"},
    {"GemmaRotaryEmbedding", two_rotated_shape, "no library here has sines of an input"},
    {"HyperConnectionPostMix", like_first, "no library here mixes streams"},
    {"HyperConnectionPreMix", one_stream_shape, "no library here mixes streams"},
    {"Inverse", like_first, "no library here inverts matrices"},
    {"IsAllFinite", truth_of_all_shape, "no library here tests all elements"},
    {"MatMulInteger16", product_shape<::onnx::TensorProto::INT32>,
     "no library here multiplies 16-bit integers", true},
    {"MoEPacked", like_first, "experts in a layout of their own"},
    {"MurmurHash3", hashes_shape, "no library here has hashes"},
    {"NGramRepeatBlock", like_second, "no library here looks for repetitions"},
    {"QOrderedAttention", ordered_attention_shape,
     "no library here converts scores to bytes within attention", true},
    {"QOrderedLongformerAttention", like_first, "no library here leaves blocks of the scores out"},
    {"RouterGateUpProj", router_shape, "no library here has a product with a gate in half of it",
     true},
    {"SampleOp", like_first, "an operator of tests"},
    {"SparseToDenseMatMul", product_shape<0>, "no library here multiplies such sparse matrices",
     true},
    {"WordConvEmbedding", word_vectors_shape, "no library here reads characters"},
};

}  // namespace

void register_named_contrib(OperatorTable& table) {
  for (const Named& named : all_named) {
    table.add(std::string("com.microsoft.") + named.op,
              {.shapes = {{named.shape}},
               .unsupported = named.reason,
               .reads_all_constants = named.reads_all_constants});
  }
  table.add("com.microsoft.RemovePadding",
            {.max_shapes = without_padding_max_shapes, .lower = lower_tokens, .idle_inputs = {1}});
  table.add("com.microsoft.RestorePadding",
            {.shapes = {{with_padding_shape}}, .lower = lower_tokens, .idle_inputs = {1}});
  table.add("com.microsoft.CropAndResize", {.shapes = {{crops_shape}},
                                            .parts = pixels_of_crops,
                                            .unsupported = "no library here samples regions"});
}

}  // namespace benanza::onnx
