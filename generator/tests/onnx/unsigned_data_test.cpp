// Products of bytes whose data are unsigned, as ONNX Runtime quantizes by default.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;

/// The types of data that quantized nodes take, and how the keys of their products say so.
struct Data {
  int type;
  std::string mark;
};
const Data both[] = {{TensorProto::UINT8, "_u8"}, {TensorProto::INT8, ""}};

void add_zero(Model& model, const std::string& name, int type, int value = 0) {
  auto& zero = *model.graph().add_initializer();
  zero.set_name(name);
  zero.set_data_type(type);
  zero.add_int32_data(value);
}

/// "x" of `type`, its scale "s" and zero point "z"; weights "w" of signed bytes and theirs, "wz".
Model of_data(int type, const Dims& data, const Dims& weights) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", data, type).scalar("s", 0.1F);
  add_zero(model, "z", type);
  stored(model, "w", weights, TensorProto::INT8);
  add_zero(model, "wz", TensorProto::INT8);
  return model;
}

constexpr const char* convolution = "conv/1x8x4x4_k16x3x3_p1.1.1.1_s1x1_d1x1_g1";
const Dims image{1, 8, 4, 4};
const Dims filters{16, 8, 3, 3};

TEST(UnsignedData, OfConvolutionsOfBytes) {
  for (const auto& [type, mark] : both) {
    Model linear = of_data(type, image, filters);
    linear.node("QLinearConv", {"x", "s", "z", "w", "s", "wz", "s", "z"}, {"y"},
                {{"pads", Dims{1, 1, 1, 1}}});
    EXPECT_THAT(linear.output("y").layer().problems, ElementsAre(convolution + mark));
    Model integer = of_data(type, image, filters);
    integer.node("ConvInteger", {"x", "w", "z", "wz"}, {"y"}, {{"pads", Dims{1, 1, 1, 1}}});
    const LoweredLayer layer = integer.output("y").layer();
    EXPECT_THAT(layer.problems, ElementsAre(convolution + mark));
    EXPECT_EQ(layer.precision, "int8");
  }
}

TEST(UnsignedData, OfProductsOfBytes) {
  for (const auto& [type, mark] : both) {
    const std::string product = "gemm/m4_n16_k8_nn_w" + mark;
    const auto problems = [&type = type](const std::string& op, const std::string& domain,
                                         const std::vector<std::string>& inputs) {
      Model model = of_data(type, {4, 8}, {8, 16});
      stored(model, "b", {16}, TensorProto::FLOAT);
      model.node(op, inputs, {"y"}).last().set_domain(domain);
      return model.output("y").layer().problems;
    };
    EXPECT_THAT(problems("QLinearMatMul", "", {"x", "s", "z", "w", "s", "wz", "s", "z"}),
                ElementsAre(product));
    EXPECT_THAT(problems("MatMulInteger", "", {"x", "w", "z", "wz"}), ElementsAre(product));
    EXPECT_THAT(problems("QGemm", "com.microsoft", {"x", "s", "z", "w", "s", "wz", "b", "s", "z"}),
                ElementsAre(product + "_bias"));
    EXPECT_THAT(
        problems("MatMulIntegerToFloat", "com.microsoft", {"x", "w", "s", "s", "z", "wz", "b"}),
        ElementsAre(product + "_bias"));
  }
}

TEST(UnsignedData, DynamicQuantizationMakesThem) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", {4, 8}).scalar("s", 0.1F);
  stored(model, "w", {8, 16}, TensorProto::INT8);
  add_zero(model, "wz", TensorProto::INT8);
  add_microsoft(model, "DynamicQuantizeMatMul", {"x", "w", "s", "wz"}, {"y"});
  EXPECT_THAT(model.output("y").import().layers.back().problems,
              ElementsAre("gemm/m4_n16_k8_nn_w_u8"));
}

/// x -> DequantizeLinear -> `op` with dequantized weights -> Relu -> QuantizeLinear.
LoweredGraph between_conversions(const std::string& op, int type, const Dims& data,
                                 const Dims& weights, int weight_type = TensorProto::INT8) {
  Model model = of_data(type, data, {1});
  stored(model, "weights", weights, weight_type);
  add_zero(model, "middle", weight_type, weight_type == TensorProto::UINT8 ? 128 : 0);
  model.node("DequantizeLinear", {"x", "s", "z"}, {"xd"});
  model.node("DequantizeLinear", {"weights", "s", "middle"}, {"wd"});
  model.node(op, {"xd", "wd"}, {"p"}).node("Relu", {"p"}, {"r"});
  return model.node("QuantizeLinear", {"r", "s", "z"}, {"y"}).output("y").import();
}

std::vector<std::string> problems_of(const LoweredGraph& graph, const std::string& name) {
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.name == name && layer.precision == "int8") return layer.problems;
  }
  return {};
}

TEST(UnsignedData, OfFloatOperatorsBetweenConversions) {
  for (const auto& [type, mark] : both) {
    EXPECT_THAT(problems_of(between_conversions("Conv", type, image, {16, 8, 1, 1}), "p"),
                ElementsAre("conv/1x8x4x4_k16x1x1_p0.0.0.0_s1x1_d1x1_g1" + mark + "_relu"));
    EXPECT_THAT(problems_of(between_conversions("ConvTranspose", type, image, {8, 16, 2, 2}), "p"),
                ElementsAre("deconv/1x8x4x4_k16x2x2_p0.0.0.0_s1x1_d1x1_g1" + mark + "_relu"));
    EXPECT_THAT(problems_of(between_conversions("MatMul", type, {4, 8}, {8, 16}), "p"),
                ElementsAre("gemm/m4_n16_k8_nn_w" + mark + "_relu"));
  }
}

// A zero point in the middle makes unsigned weights signed ones.
TEST(UnsignedData, WeightsAreSigned) {
  for (const auto& [type, mark] : both) {
    EXPECT_THAT(
        problems_of(between_conversions("MatMul", type, {4, 8}, {8, 16}, TensorProto::UINT8), "p"),
        ElementsAre("gemm/m4_n16_k8_nn_w" + mark + "_relu"));
  }
}

// Of the sums that stand for the zero points of weights and data, those of the data are unsigned.
TEST(UnsignedData, SumsOfDataAreOfUnsignedOnes) {
  Model model(13);
  model.input("a", {12, 16, 8}, TensorProto::UINT8).input("b", {12, 8, 32}, TensorProto::INT8);
  add_zero(model, "az", TensorProto::UINT8, 5);
  add_zero(model, "bz", TensorProto::INT8, 3);
  model.node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"});
  EXPECT_THAT(
      model.output("y").layer().problems,
      ElementsAre("gemm/m16_n32_k8_nn_a12_b12_u8", "gemm/m16_n1_k8_nn_a12_b1_w_u8",
                  "sub/12x16x32_12x16x1", "gemm/m1_n32_k8_nn_a1_b12", "sub/12x16x32_12x1x32"));
}

// What MatMulInteger makes, with one scale or one for each column.
TEST(SumsOfBytes, AreFloatsTimesTheirScales) {
  for (const Dims& scales : {Dims{}, Dims{16}}) {
    Model model = of_data(TensorProto::UINT8, {4, 8}, {8, 16});
    model.weights("each", scales);
    model.node("MatMulInteger", {"x", "w", "z", "wz"}, {"sums"});
    model.node("DequantizeLinear", {"sums", "each"}, {"y"});
    const LoweredLayer layer = named(model.output("y").import(), "y");
    EXPECT_EQ(layer.cost, Cost::measured) << layer.reason;
    EXPECT_THAT(layer.problems, ElementsAre(scales.empty() ? "mul/4x16_1x1_w" : "mul/4x16_1x16_w"));
    EXPECT_EQ(layer.precision, "") << "of the run";
    EXPECT_TRUE(layer.calls[0].is_proxy);
  }
}

}  // namespace
}  // namespace benanza::onnx
