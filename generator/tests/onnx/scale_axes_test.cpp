// Along which axes the scales of quantized weights and data differ.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int packed_uint4 = 21;
constexpr int packed_int4 = 22;

/// DequantizeLinear of a stored tensor `name`, with so many scales along `axis`.
Model& dequantized(Model& model, const std::string& name, const Dims& dims, std::int64_t axis,
                   int type = TensorProto::INT8) {
  stored(model, name + "_q", dims, type);
  model.weights(name + "_s", {dims[static_cast<std::size_t>(axis)]});
  return model.node("DequantizeLinear", {name + "_q", name + "_s"}, {name}, {{"axis", axis}});
}

Model& quantized_and_back(Model& model, const std::string& from, const std::string& to,
                          std::int64_t axis, std::int64_t scales) {
  model.weights(to + "_s", {scales})
      .node("QuantizeLinear", {from, to + "_s", "z"}, {to + "_q"}, {{"axis", axis}});
  return model.node("DequantizeLinear", {to + "_q", to + "_s", "z"}, {to}, {{"axis", axis}});
}

LoweredGraph product(const std::string& op, const Dims& data, const Dims& weights,
                     std::int64_t axis, bool of_bytes, bool transposed = false) {
  Model model(21);
  model.input("x", data);
  dequantized(model, "w", weights, axis);
  if (of_bytes) {
    stored(model, "z", {}, TensorProto::INT8);
    model.scalar("s", 0.1F).node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    model.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  }
  model.node(op, {of_bytes ? "d" : "x", "w"}, {"y"});
  if (transposed) {
    auto& attribute = *model.last().add_attribute();
    attribute.set_name("transB");
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(1);
  }
  return model.output("y").import();
}

// A scale for each term is no factor of the sum.
TEST(ScaleAxes, OfWeightsWithinTheSumsAreNamedWithTheirBytes) {
  for (const bool of_bytes : {false, true}) {
    const auto refused = [&](const LoweredGraph& graph, std::int64_t scales, std::int64_t bytes) {
      EXPECT_EQ(graph.layers.back().cost, Cost::unsupported);
      EXPECT_THAT(graph.layers.back().reason, HasSubstr("each term of a sum"));
      EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = scales, .bytes = bytes}));
    };
    refused(product("MatMul", {8, 64}, {64, 32}, 0, of_bytes), 64, 2048);
    refused(product("Gemm", {8, 64}, {32, 64}, 1, of_bytes, true), 64, 2048);
    refused(product("Conv", {1, 16, 8, 8}, {32, 16, 3, 3}, 1, of_bytes), 16, 4608);
    refused(product("ConvTranspose", {1, 16, 8, 8}, {16, 32, 3, 3}, 0, of_bytes), 16, 4608);
  }
}

TEST(ScaleAxes, OfWeightsAcrossTheSumsAreOnePerColumn) {
  const auto last = [](const LoweredGraph& graph) { return graph.layers.back(); };
  EXPECT_THAT(last(product("MatMul", {8, 64}, {64, 32}, 1, false)).problems,
              ElementsAre("gemm/m8_n32_k64_nn_w_packed.int8.c"));
  EXPECT_THAT(last(product("ConvTranspose", {1, 2, 8, 8}, {2, 4, 3, 3}, 1, false)).problems,
              ElementsAre(HasSubstr("packed.int8.c")));
  EXPECT_THAT(last(product("MatMul", {4, 8, 64}, {4, 64, 32}, 0, false)).problems,
              ElementsAre("gemm/m8_n32_k64_nn_a4_b4_w_packed.int8"))
      << "one for each matrix";
  EXPECT_EQ(last(product("Conv", {1, 16, 8, 8}, {32, 16, 3, 3}, 0, true)).precision, "int8");
}

// Scales of channels are no factor of a convolution's sums, scales of rows are one of a product's.
TEST(ScaleAxes, OfDataWithinTheSumsKeepItsFloats) {
  const auto layer = [](const std::string& op, const Dims& data, const Dims& weights,
                        std::int64_t axis) {
    Model model(21);
    model.input("x", data);
    const std::int64_t scales = data[static_cast<std::size_t>(axis)];
    stored(model, "z", {scales}, TensorProto::INT8);
    quantized_and_back(model, "x", "d", axis, scales);
    dequantized(model, "w", weights, op == "Conv" ? 0 : 1);
    return model.node(op, {"d", "w"}, {"y"}).output("y").import();
  };
  const LoweredGraph channels = layer("Conv", {1, 16, 8, 8}, {32, 16, 3, 3}, 1);
  EXPECT_EQ(channels.layers.back().precision, "");
  EXPECT_THAT(channels.layers[1].problems, ElementsAre("dequantize/1x16x8x8_a1"));
  const LoweredGraph rows = layer("MatMul", {8, 64}, {64, 32}, 0);
  EXPECT_EQ(rows.layers.back().precision, "int8");
  EXPECT_EQ(rows.layers[1].cost, Cost::free);
}

// As exporters write blocks before DequantizeLinear has them.
TEST(ScaleAxes, RowsThatAReshapeJoinsAreBlocks) {
  Model model(19);
  model.input("x", {4, 256}).integers("whole", {128, 256});
  dequantized(model, "w", {512, 64}, 0);
  model.node("Reshape", {"w", "whole"}, {"r"}).node("Transpose", {"r"}, {"t"});
  const LoweredGraph graph = model.node("MatMul", {"x", "t"}, {"y"}).output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m4_n128_k256_nn_w_packed.int8.b64"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 512, .bytes = 512 * 64}));
}

/// x (4x64) times weights of int8, cast and scaled; `joined`: their extents after a Reshape.
LoweredGraph of_casts(const Dims& weights, const Dims& scales, const Dims& joined = {}) {
  Model model(17);
  model.input("x", {4, 64}).weights("s", scales);
  stored(model, "q", weights, TensorProto::INT8);
  model.node("Cast", {"q"}, {"f"}, {{"to", std::int64_t{TensorProto::FLOAT}}});
  model.node("Mul", {"f", "s"}, {"w"});
  if (!joined.empty()) {
    model.integers("whole", joined).node("Reshape", {"w", "whole"}, {"r"});
    model.node("Transpose", {"r"}, {"t"});
  }
  return model.node("MatMul", {"x", joined.empty() ? "w" : "t"}, {"y"}).output("y").import();
}

TEST(ScaleAxes, OfCastWeightsAreThoseOfTheirMul) {
  EXPECT_THAT(of_casts({64, 32}, {32}).layers.back().problems,
              ElementsAre("gemm/m4_n32_k64_nn_w_packed.int8.c"));
  EXPECT_THAT(of_casts({64, 32}, {64, 1}).layers.back().reason, HasSubstr("each term of a sum"));
  EXPECT_THAT(of_casts({128, 16}, {128, 1}, {32, 64}).layers.back().problems,
              ElementsAre("gemm/m4_n32_k64_nn_w_packed.int8.b16"));
}

// Scales in half precision, the product in single.
TEST(PackedWeights, ThatBecomeOtherFloatsStayPacked) {
  Model model(21);
  model.input("x", {4, 64});
  stored(model, "q", {32, 64}, packed_int4);
  stored(model, "s", {32, 2}, TensorProto::FLOAT16);
  model.node("DequantizeLinear", {"q", "s"}, {"d"},
             {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{32}}});
  model.node("Cast", {"d"}, {"f"}, {{"to", std::int64_t{TensorProto::FLOAT}}});
  model.node("Transpose", {"f"}, {"t"}).node("MatMul", {"x", "t"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m4_n32_k64_nn_w_packed.int4.b32"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.bytes = 32 * 64 / 2, .halves = 64}));
}

TEST(PackedWeights, PartsOfASplitCountOnce) {
  Model model(18);
  model.input("x", {8, 64});
  dequantized(model, "w", {64, 96}, 1);
  model.node("Split", {"w"}, {"a", "b", "c"}, {{"axis", std::int64_t{1}}, {"num_outputs", 3}});
  for (const char* part : {"a", "b", "c"}) {
    const std::string result = std::string("y") + part;
    model.node("MatMul", {"x", part}, {result}).output(result);
  }
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m8_n32_k64_nn_w_packed.int8.c"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 96, .bytes = 64 * 96}));
}

// Four bits, two to a byte: zeros, the middle of the range, or different ones.
TEST(PackedWeights, ZeroPointsInTheMiddleAreNone) {
  const auto problem = [](int type, const std::string& points) {
    Model model(21);
    model.input("x", {4, 64});
    stored(model, "q", {64, 32}, type);
    stored(model, "s", {2, 32}, TensorProto::FLOAT);
    stored(model, "z", {2, 32}, type);
    auto& tensor = *model.graph().mutable_initializer(2);
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.set_raw_data(points);
    model.node("DequantizeLinear", {"q", "s", "z"}, {"d"},
               {{"axis", std::int64_t{0}}, {"block_size", std::int64_t{32}}});
    return model.node("MatMul", {"x", "d"}, {"y"}).output("y").layer().problems.at(0);
  };
  EXPECT_EQ(problem(packed_int4, std::string(32, '\0')), "gemm/m4_n32_k64_nn_w_packed.int4.b32");
  EXPECT_EQ(problem(packed_uint4, std::string(32, '\x88')), "gemm/m4_n32_k64_nn_w_packed.int4.b32");
  EXPECT_EQ(problem(packed_uint4, std::string(32, '\0')), "gemm/m4_n32_k64_nn_w_packed.uint4.b32");
  EXPECT_EQ(problem(packed_uint4, std::string(31, '\x88') + '\x78'),
            "gemm/m4_n32_k64_nn_w_packed.uint4.b32.z");
}

// No call of bytes writes 16 bits.
TEST(Quantized, AConversionTo16BitsIsNoPartOfACallOfBytes) {
  Model model(21);
  model.input("x", {4, 64}).scalar("s", 0.1F);
  stored(model, "z", {}, TensorProto::INT8);
  stored(model, "z16", {}, TensorProto::UINT16);
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  dequantized(model, "w", {64, 32}, 1);
  model.node("MatMul", {"d", "w"}, {"f"}).node("QuantizeLinear", {"f", "s", "z16"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers[3].precision, "int8");
  EXPECT_THAT(graph.layers[4].reason, HasSubstr("uint16"));
}

/// 64 x 32 weights, of 8 bits, that are cast, less `points` if these have extents, and multiplied
/// by factors of the extents `scales`. Three axes are joined to two.
std::string product_of_cast(const Dims& weights, const Dims& scales, const Dims& points = {}) {
  Model model(17);
  model.input("x", {4, 64}).integers("matrix", {64, 32}).weights("s", scales);
  stored(model, "w", weights, TensorProto::INT8);
  model.node("Cast", {"w"}, {"f"}, {{"to", 1}});
  if (!points.empty()) {
    stored(model, "z", points, TensorProto::INT8);
    model.node("Cast", {"z"}, {"zf"}, {{"to", 1}}).node("Sub", {"f", "zf"}, {"m"});
  }
  model.node("Mul", {points.empty() ? "f" : "m", "s"}, {"d"});
  if (weights.size() == 3) model.node("Reshape", {"d", "matrix"}, {"r"});
  model.node("MatMul", {"x", weights.size() == 3 ? "r" : "d"}, {"y"});
  return model.output("y").layer().problems.at(0);
}

// As AutoGPTQ writes blocks. Factors of the weights' extents are no scales of a type: a mask.
TEST(ScaleAxes, OfCastWeightsAreSharedByColumnsOrBlocks) {
  const std::string product = "gemm/m4_n32_k64_nn_w";
  EXPECT_EQ(product_of_cast({64, 32}, {32}), product + "_packed.int8.c");
  EXPECT_EQ(product_of_cast({64, 32}, {1, 1}), product + "_packed.int8");
  EXPECT_EQ(product_of_cast({4, 16, 32}, {4, 1, 32}), product + "_packed.int8.b16");
  EXPECT_EQ(product_of_cast({4, 16, 32}, {4, 1, 32}, {4, 1, 32}), product + "_packed.int8.b16.z");
  EXPECT_EQ(product_of_cast({64, 32}, {64, 32}), product);
  EXPECT_EQ(product_of_cast({64, 32}, {1, 32}, {64, 32}), product);
}

}  // namespace
}  // namespace benanza::onnx
