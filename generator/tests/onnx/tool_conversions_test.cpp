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

}  // namespace
}  // namespace benanza::onnx
