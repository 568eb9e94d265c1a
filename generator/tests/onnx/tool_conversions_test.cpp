// Conversions in domains of tools, wherever a file has them.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;

/// One scale for 64 x 32 weights, which the file stores as plain bytes: y = x times these.
constexpr Traffic of_weights{.elements = 1, .bytes = 64 * 32};
constexpr const char* product_key = "gemm/m16_n32_k64_nn_w_packed.fp8";

Model with_data() {
  Model model(21);
  return model.domain("trt", 1).input("x", {16, 64}).scalar("s", 0.5F);
}

TEST(ToolConversions, OfConstantNodesHaveTheTypeThatTheyAreReadAs) {
  Model model = with_data();
  model.node("Constant", {}, {"w"});
  auto& value = *model.last().add_attribute();
  value.set_name("value");
  value.set_type(::onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(TensorProto::UINT8);
  value.mutable_t()->add_dims(64);
  value.mutable_t()->add_dims(32);
  value.mutable_t()->set_raw_data(std::string(64 * 32, '\1'));
  model.node("Identity", {"w"}, {"i"});
  model.node("TRT_FP8DequantizeLinear", {"i", "s"}, {"d"}).last().set_domain("trt");
  const LoweredGraph graph = model.node("MatMul", {"x", "d"}, {"y"}).output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre(product_key));
  EXPECT_EQ(graph.compulsory.weights, of_weights);
}

TEST(ToolConversions, InFunctionsReadTheirArgumentsAsTheType) {
  Model model = with_data().domain("local", 1);
  stored(model, "w", {64, 32}, TensorProto::UINT8);
  auto& function = *model.proto().add_functions();
  function.set_name("Linear");
  function.set_domain("local");
  for (const char* name : {"a", "b", "scale"}) function.add_input(name);
  function.add_output("c");
  *function.mutable_opset_import() = model.proto().opset_import();
  Model body(21);
  body.node("TRT_FP8DequantizeLinear", {"b", "scale"}, {"d"}).last().set_domain("trt");
  body.node("MatMul", {"a", "d"}, {"c"});
  *function.mutable_node() = body.graph().node();
  model.node("Linear", {"x", "w", "s"}, {"y"}).last().set_domain("local");
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre(product_key));
  EXPECT_EQ(graph.compulsory.weights, of_weights);
}

TEST(ToolConversions, InBodiesAreThoseOfOnnx) {
  Model model = with_data().truths("c", {}, {true});
  Model body(21);
  stored(body, "w", {64, 32}, TensorProto::UINT8);
  body.node("TRT_FP8DequantizeLinear", {"w", "s"}, {"d"}).last().set_domain("trt");
  body.node("MatMul", {"x", "d"}, {"o"});
  body.graph().add_output()->set_name("o");
  model.node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = *model.last().add_attribute();
    branch.set_name(name);
    branch.set_type(::onnx::AttributeProto::GRAPH);
    *branch.mutable_g() = body.graph();
  }
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre(product_key));
  EXPECT_EQ(graph.compulsory.weights, of_weights);
}

// Both kinds of 8-bit floats have the same size.
TEST(Conversions, OfFloatsWithFewFractionBitsAreThoseOfTheOthers) {
  constexpr std::int64_t float8e5m2 = 19;
  Model model(21);
  model.input("x", {4, 64}).scalar("s", 0.5F);
  model.node("QuantizeLinear", {"x", "s"}, {"q"}, {{"output_dtype", float8e5m2}});
  model.node("DequantizeLinear", {"q", "s"}, {"y"}).output("y");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("quantize/4x64_fp8"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("dequantize/4x64_fp8"));
}

// Three rows of 256 numbers of 8 or 4 bits, in words of 32 bits.
TEST(Conversions, OfRowsThatAreLookedUp) {
  const auto rows = [](int type) {
    Model model(21);
    model.domain("com.microsoft", 1).input("i", {1, 3}, TensorProto::INT64);
    model.weights("s", {1000, 8});
    stored(model, "w", {1000, 256}, type);
    add_microsoft(model, "GatherBlockQuantized", {"w", "i", "s"}, {"y"},
                  {{"block_size", 32}, {"quantize_axis", 1}});
    return model.output("y").layer();
  };
  constexpr int float8e4m3fn = 17;
  constexpr int float4e2m1 = 23;
  EXPECT_THAT(rows(float8e4m3fn).problems, ElementsAre("copy/192_f1_t1", "dequantize/1x3x256_fp8"));
  EXPECT_THAT(rows(float4e2m1).problems, ElementsAre("copy/96_f1_t1", "dequantize/1x3x256_fp8"));
}

// Data of 16 bits, and of 8 bits where the weights have scales within the sums: no call here
// multiplies these, and the product of floats says so.
TEST(Conversions, OfDataThatNoProductReadsAreNamed) {
  const auto reason = [](std::int64_t type, bool in_blocks) {
    Model model(21);
    model.input("x", {4, 64}).scalar("s", 0.5F);
    if (in_blocks) {
      stored(model, "ws", {2, 32}, TensorProto::FLOAT);
    } else {
      model.scalar("ws", 0.5F);
    }
    stored(model, "w", {64, 32}, TensorProto::INT8);
    model.node("QuantizeLinear", {"x", "s"}, {"q"}, {{"output_dtype", type}});
    model.node("DequantizeLinear", {"q", "s"}, {"d"});
    model.node("DequantizeLinear", {"w", "ws"}, {"wd"},
               {{"axis", 0}, {"block_size", in_blocks ? 32 : 0}});
    return model.node("MatMul", {"d", "wd"}, {"y"}).output("y").layer().reason;
  };
  EXPECT_EQ(reason(TensorProto::INT16, false),
            "its data, which the file converts from int16, are taken to be floats");
  EXPECT_EQ(reason(TensorProto::INT8, true),
            "its data, which the file converts from int8, are taken to be floats");
  EXPECT_EQ(reason(TensorProto::INT8, false), "");
}

TEST(Conversions, OfFloatsOf8BitsThatMoveAreBytes) {
  Model model(21);
  model.input("x", {4, 64}, 17).node("Transpose", {"x"}, {"y"}).output("y");
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_EQ(layer.precision, "int8");
}

TEST(Text, IsWhatNoLibraryWorksOn) {
  for (const char* op : {"HfJsonTokenizer", "Unheard"}) {
    Model model(21);
    model.domain("ai.onnx.contrib", 1).input("text", {1}, TensorProto::STRING);
    model.node(op, {"text"}, {"y"}).last().set_domain("ai.onnx.contrib");
    EXPECT_EQ(model.output("y").layer().reason, "no library here works on text");
  }
}

}  // namespace
}  // namespace benanza::onnx
