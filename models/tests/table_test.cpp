// Compares every model with the table of the paper's model, and tests the comparison with planted
// errors.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "models/tests/layer_table.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::filesystem::path table_path(const std::string& id) {
  return std::filesystem::path(BENANZA_ZOO_TABLES) / (id + ".tsv");
}

std::vector<std::string> ids() {
  std::vector<std::string> result;
  for (const Model& model : models()) {
    result.push_back(model.id);
  }
  return result;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

std::string one_input(const std::string& id) {
  const ::onnx::ModelProto model = build(find(id), {});
  EXPECT_EQ(model.graph().input_size(), 1);
  return model.graph().input(0).name();
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, EqualsItsTableLayerByLayer) {
  const Table expected = read_table(table_path(GetParam()));
  ASSERT_GT(expected.size(), 10U);
  EXPECT_THAT(differences(expected, describe(build(find(GetParam()), {}))), IsEmpty());
}

TEST_P(EveryModel, ChangesNothingButTheBatchWithTheBatch) {
  Table one = describe(build(find(GetParam()), {.batch = 1}));
  const Table eight = describe(build(find(GetParam()), {.batch = 8}));
  ASSERT_EQ(one.size(), eight.size());
  std::size_t batched = 0;
  // The tensors that depend on the input; all others are computed from weights only.
  std::set<std::string> data = {one_input(GetParam())};
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::string expected = one[i].output_shape;
    if (std::ranges::any_of(one[i].inputs, [&](const auto& x) { return data.contains(x); })) {
      ASSERT_TRUE(expected.starts_with("1x")) << one[i].name;
      expected[0] = '8';
      ++batched;
      data.insert(one[i].outputs.begin(), one[i].outputs.end());
    }
    EXPECT_EQ(eight[i].output_shape, expected) << one[i].name;
  }
  EXPECT_GT(batched, one.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, ::testing::ValuesIn(ids()), test_name);

TEST(RandomModel, HasTheLayersOfTheWeightlessOne) {
  for (const char* id : {"resnet18_v1", "googlenet", "squeezenet_v1.1"}) {
    EXPECT_EQ(describe(build(find(id), {})), describe(build(find(id), {.seed = 1}))) << id;
  }
}

/// Differences between GoogLeNet, after `change`, and its table.
std::vector<std::string> after(const std::function<void(::onnx::GraphProto&)>& change) {
  ::onnx::ModelProto model = build(find("googlenet"), {});
  change(*model.mutable_graph());
  return differences(read_table(table_path("googlenet")), describe(model));
}

::onnx::NodeProto& node(::onnx::GraphProto& graph, const std::string& name) {
  return *std::ranges::find_if(*graph.mutable_node(),
                               [&](const ::onnx::NodeProto& n) { return n.name() == name; });
}

void set_all(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  const auto attribute =
      std::ranges::find(*node.mutable_attribute(), name, &::onnx::AttributeProto::name);
  ASSERT_NE(attribute, node.mutable_attribute()->end());
  std::ranges::fill(*attribute->mutable_ints(), value);
}

TEST(Comparison, FindsARenamedLayer) {
  EXPECT_THAT(after([](::onnx::GraphProto& graph) { node(graph, "lrn_1").set_name("lrn_9"); }),
              ElementsAre(HasSubstr("want lrn_1 LRN")));
}

TEST(Comparison, FindsAnotherOperator) {
  EXPECT_THAT(
      after([](::onnx::GraphProto& graph) { node(graph, "relu_3").set_op_type("Sigmoid"); }),
      ElementsAre(HasSubstr("have relu_3 Sigmoid")));
}

TEST(Comparison, FindsExchangedInputs) {
  const auto lines = after([](::onnx::GraphProto& graph) {
    node(graph, "concat_1").mutable_input()->SwapElements(0, 1);
  });
  EXPECT_THAT(lines, ElementsAre(HasSubstr("want concat_1")));
}

TEST(Comparison, FindsAWeightUsedInPlaceOfAnotherOfEqualShape) {
  const auto lines = after([](::onnx::GraphProto& graph) {
    node(graph, "conv_9").set_input(2, "inception_3a/5x5_b_0");
  });
  EXPECT_THAT(lines, ElementsAre(HasSubstr("want conv_9")));
}

TEST(Comparison, FindsASmallerKernel) {
  const auto lines = after([](::onnx::GraphProto& graph) {
    ::onnx::NodeProto& conv = node(graph, "conv_8");
    set_all(conv, "kernel_shape", 3);
    set_all(conv, "pads", 1);
    const auto shape = std::ranges::find(*graph.mutable_initializer(), "shape_32x16x5x5",
                                         &::onnx::TensorProto::name);
    ASSERT_NE(shape, graph.mutable_initializer()->end());
    const std::int64_t dims[] = {32, 16, 3, 3};
    shape->set_raw_data(dims, sizeof(dims));
  });
  EXPECT_THAT(lines, ElementsAre(AllOf(HasSubstr("want conv_8"), HasSubstr("32x16x5x5"),
                                       HasSubstr("32x16x3x3"))));
}

TEST(Comparison, LetsOnnxRefuseAPoolThatDoesNotFitItsReaders) {
  // Without its pads the pool's output is 5x5, but that of the parallel branches 7x7.
  EXPECT_ANY_THROW(
      after([](::onnx::GraphProto& graph) { set_all(node(graph, "maxpool_13"), "pads", 0); }));
}

TEST(Comparison, FindsAMissingAndASurplusLayer) {
  Table table = read_table(table_path("squeezenet_v1.1"));
  const Table model = describe(build(find("squeezenet_v1.1"), {}));
  table.pop_back();
  EXPECT_THAT(differences(table, model), ElementsAre(HasSubstr("want nothing")));
  EXPECT_THAT(differences(model, table), ElementsAre(HasSubstr("have nothing")));
}

TEST(Comparison, FindsAnotherReshapeTarget) {
  Table table = read_table(table_path("googlenet"));
  const auto reshape =
      std::ranges::find_if(table, [](const Row& row) { return row.type == "Reshape"; });
  ASSERT_NE(reshape, table.end());
  EXPECT_EQ(reshape->input_shapes.at(1), "-1x1024");
  reshape->input_shapes.at(1) = "-1x512";
  EXPECT_THAT(differences(table, describe(build(find("googlenet"), {}))),
              ElementsAre(HasSubstr("want reshape_1")));
}

}  // namespace
}  // namespace benanza::zoo
