// Gradients of normalizations as graphs: the graphs given to the library, and the engines it offers
// for a described H100.
#include "suites/cudnn/ops/graphs.h"

#include <gmock/gmock.h>

#include <utility>

#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

// Normalization engines treat a tensor of UID 0 as missing.
TEST(OperationGraphTensors, NoneIsCalledZero) {
  OperationGraph graph;
  const auto format = nvidia::tensor_format(Precision::fp16, {4, 8, 1, 1}, Layout::nhwc);
  const auto first = graph.tensor(format);
  const auto second = graph.tensor(format);
  EXPECT_EQ(graph.at(first).number(CUDNN_ATTR_TENSOR_UNIQUE_ID), 1);
  EXPECT_EQ(graph.at(second).number(CUDNN_ATTR_TENSOR_UNIQUE_ID), 2);
  EXPECT_EQ(OperationGraph::unique_id(second), 2);
}

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

GraphsOf normalization_gradient_graphs_of(const char* key) {
  return bound(layer_normalization_gradient_graphs, shape_of<LayerNormalizationGradient>(key));
}

GraphCalls normalization_calls(const char* key, Precision precision = Precision::fp32) {
  return normalization_gradient_graphs_of(key)(variant(key, precision));
}

// Operands dy, x, scale, mean and variance; results dx, then the gradients of scale and bias.
TEST(LayerNormalizationGradientGraph, HasTheProblemsOperandsAndResults) {
  const auto calls = normalization_calls("layernorm_bwd/128x768_e1e-05_sb");
  ASSERT_THAT(calls, SizeIs(1));
  const GraphCall& call = calls[0];
  ASSERT_THAT(call.inputs, SizeIs(5));
  EXPECT_THAT(call.inputs[1].dims, ElementsAre(128, 768, 1, 1));
  EXPECT_THAT(call.inputs[1].strides, ElementsAre(768, 1, 768, 768));
  EXPECT_THAT(call.inputs[2].dims, ElementsAre(1, 768, 1, 1));
  EXPECT_THAT(call.inputs[4].dims, ElementsAre(128, 1, 1, 1));
  ASSERT_TRUE(call.operand_deviation);
  EXPECT_EQ(call.operand_deviation->index, 4U);
  EXPECT_EQ(call.operand_deviation->epsilon, 1e-5F);
  EXPECT_THAT(call.bound, SizeIs(6));
  EXPECT_THAT(call.further_results, SizeIs(2));
  EXPECT_THAT(call.ignored_results, IsEmpty());
}

TEST(LayerNormalizationGradientGraph, TheLibraryAlwaysScales) {
  const auto plain = normalization_calls("layernorm_bwd/128x768_e1e-05");
  EXPECT_THAT(plain.at(0).inputs, SizeIs(4));
  EXPECT_EQ(plain.at(0).operand_deviation->index, 3U);
  EXPECT_THAT(plain.at(0).further_results, IsEmpty());
  EXPECT_THAT(plain.at(0).ignored_results, SizeIs(2));
  EXPECT_THAT(plain.at(0).graph().constants(), SizeIs(1));
  const auto scaled = normalization_calls("layernorm_bwd/128x768_e1e-05_s");
  EXPECT_THAT(scaled.at(0).further_results, SizeIs(1));
  EXPECT_THAT(scaled.at(0).ignored_results, SizeIs(1));
}

TEST(LayerNormalizationGradientGraph, ARootMeanSquareHasNoMeanAndNeedsNoBias) {
  const auto calls = normalization_calls("rmsnorm_bwd/128x4096_e1e-06_s");
  EXPECT_THAT(calls.at(0).inputs, SizeIs(4));
  EXPECT_EQ(calls.at(0).operand_deviation->index, 3U);
  EXPECT_THAT(calls.at(0).further_results, SizeIs(1));
  EXPECT_THAT(calls.at(0).ignored_results, IsEmpty());
}

TEST(LayerNormalizationGradientGraph, HalfPrecisionHasVectorsOfEither) {
  const auto calls = normalization_calls("layernorm_bwd/128x768_e1e-05_sb", Precision::bf16);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].inputs[2].precision, Precision::bf16);
  EXPECT_EQ(calls[0].further_results[0].format.precision, Precision::bf16);
  EXPECT_EQ(calls[0].inputs[4].precision, Precision::fp32);
  EXPECT_EQ(calls[1].prefix, "fp32vectors.");
  EXPECT_EQ(calls[1].inputs[2].precision, Precision::fp32);
  EXPECT_EQ(calls[1].further_results[1].format.precision, Precision::fp32);
  EXPECT_THROW(normalization_calls("layernorm_bwd/128x768_e1e-05_sb", Precision::int8),
               harness::Unsupported);
}

TEST_F(H100, ChoosesTheEngineOfANormalizationsGradientByName) {
  GraphPlans others(Target(read_file(TEST_DATA "/h100_device_properties.json")));
  for (const harness::Variant& asked :
       variants_of<LayerNormalizationGradient>("gradients", Layout::plain)) {
    SCOPED_TRACE(key(asked.problem) + ' ' + std::string(to_string(asked.precision)));
    const GraphsOf graphs = bound(layer_normalization_gradient_graphs,
                                  std::get<LayerNormalizationGradient>(asked.problem.shape));
    const auto found = names(graphs, asked);
    ASSERT_THAT(found, Not(IsEmpty()));
    auto calls = graphs(asked);
    const auto known = others.known(std::move(calls.at(0).graph()), {.most = 0});
    EXPECT_EQ(others.choice(*known, found[0]).name(), found[0]) << "made of the name alone";
  }
}

}  // namespace
}  // namespace benanza::cudnn
