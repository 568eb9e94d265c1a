// Convolutions as graphs: the graphs given to the library, and the engines it offers for a
// described H100.
#include <gmock/gmock.h>

#include <algorithm>

#include "suites/cudnn/ops/convolution.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

GraphsOf convolution_graphs_of(const char* key) {
  return bound(convolution_graphs, shape_of<Convolution>(key));
}

const char* const dense_key = "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1";
const char* const depthwise_key = "conv/32x96x56x56_k96x7x7_p3.3.3.3_s1x1_d1x1_g96";

TEST(EngineName, ReadsBackAsTheSameEngine) {
  const EngineId id{17, {{2, 3}, {13, 1}}};
  EXPECT_EQ(to_string(id), "engine17.k2=3.k13=1");
  EXPECT_EQ(parse_engine("engine17.k2=3.k13=1"), id);
  EXPECT_EQ(parse_engine("engine0"), EngineId{0});
  EXPECT_EQ(slices(*parse_engine("engine61.k2=1.k12=264.k17=528")), 528);
  EXPECT_EQ(slices(id), 1);
  for (const char* text : {"", "engine", "engine1.", "engine1.k2", "engine1.k2=", "engine01",
                           "engine1.k2=3 ", "implicit_gemm", "max.engine1"}) {
    EXPECT_EQ(parse_engine(text), std::nullopt) << text;
  }
}

TEST(ConvolutionGraph, OperandsLieAsTheLayoutSays) {
  const auto calls =
      convolution_graphs_of(dense_key)(variant(dense_key, Precision::fp16, Layout::nhwc));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].prefix, "");
  ASSERT_THAT(calls[0].inputs, SizeIs(2));
  EXPECT_THAT(calls[0].inputs[0].strides, ElementsAre(200704, 1, 3584, 64));
  EXPECT_THAT(calls[0].inputs[1].dims, ElementsAre(64, 64, 3, 3));
  EXPECT_THAT(calls[0].inputs[1].strides, ElementsAre(576, 1, 192, 64));
  EXPECT_EQ(calls[0].output, calls[0].inputs[0]);
}

// The channels of squeeze and excitation.
TEST(ConvolutionGraph, ImagesOfOnePixelLieAsInNhwc) {
  const char* const key = "conv/8x64x1x1_k16x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_sigmoid";
  const auto calls = convolution_graphs_of(key)(variant(key, Precision::fp16, Layout::nchw));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0].inputs[0].strides, ElementsAre(64, 1, 64, 64));
  EXPECT_THAT(calls[0].inputs[1].strides, ElementsAre(64, 1, 64, 64));
  EXPECT_THAT(calls[0].output.strides, ElementsAre(16, 1, 16, 16));
  const char* const filter = "conv/8x64x1x1_k16x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_THAT(convolution_graphs_of(filter)(variant(filter, Precision::fp16, Layout::nchw))[0]
                  .inputs[0]
                  .strides,
              ElementsAre(64, 1, 1, 1));
}

TEST(ConvolutionGraph, EpilogueIsPartOfIt) {
  const std::string key = std::string(dense_key) + "_bias_residual_swish_a1";
  const auto calls =
      convolution_graphs_of(key.c_str())(variant(key.c_str(), Precision::bf16, Layout::nhwc));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[1].prefix, "residual.");
  for (const GraphCall& call : calls) {
    ASSERT_THAT(call.inputs, SizeIs(4));
    EXPECT_THAT(call.inputs[2].dims, ElementsAre(1, 64, 1, 1));
    EXPECT_EQ(call.inputs[3], call.output);
    EXPECT_THAT(call.bound, SizeIs(5));
  }
}

TEST(ConvolutionGraph, ReluIsAlsoAMaximum) {
  const std::string key = std::string(dense_key) + "_bias_relu";
  const auto calls =
      convolution_graphs_of(key.c_str())(variant(key.c_str(), Precision::fp16, Layout::nhwc));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].prefix, "");
  EXPECT_EQ(calls[1].prefix, "max.");
}

TEST(ConvolutionGraph, OneAxisGetsAHeightOfOne) {
  const char* key = "conv/2x8x100_k16x3_p1.1_s2_d1_g1";
  const auto calls = convolution_graphs_of(key)(variant(key, Precision::fp16, Layout::nhwc));
  EXPECT_THAT(calls.at(0).inputs.at(0).dims, ElementsAre(2, 8, 1, 100));
  EXPECT_THAT(calls.at(0).output.dims, ElementsAre(2, 16, 1, 50));
}

TEST(ConvolutionGraph, IntegersAreLeftToTheFunctions) {
  EXPECT_THROW(convolution_graphs_of(dense_key)(variant(dense_key, Precision::int8, Layout::nhwc)),
               harness::Unsupported);
}

TEST_F(H100, OffersDenseConvolutionsManyConfigurations) {
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    const auto found =
        names(convolution_graphs_of(dense_key), variant(dense_key, Precision::fp16, layout));
    EXPECT_EQ(found.size(), 8U);
    EXPECT_THAT(found, Contains(HasSubstr(".k")));
    auto sorted = found;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "each once";
  }
}

TEST_F(H100, TrueFp32HasNoTensorCores) {
  auto calls = convolution_graphs_of(dense_key)(variant(dense_key, Precision::fp32, Layout::nhwc));
  const auto known =
      plans_->known(std::move(calls.at(0).graph()), {.arithmetic = Arithmetic::no_tensor_cores});
  ASSERT_FALSE(known->choices.empty());
  for (const EngineChoice& choice : known->choices) EXPECT_FALSE(choice.tensor_cores);
}

TEST_F(H100, MakesTheSameChoiceOfTheNameAlone) {
  auto calls = convolution_graphs_of(dense_key)(variant(dense_key, Precision::fp16, Layout::nhwc));
  const auto known = plans_->known(std::move(calls.at(0).graph()), {.per_engine = 2, .most = 8});
  const std::size_t listed = known->choices.size();
  for (std::size_t index = 0; index < listed; ++index) {
    const std::string name = known->choices[index].name();
    const EngineChoice& same = plans_->choice(*known, name);
    EXPECT_EQ(&same, &known->choices[index]) << name;
  }
  const EngineChoice& made = plans_->choice(*known, "engine0");
  EXPECT_EQ(made.name(), "engine0");
  EXPECT_THROW(plans_->choice(*known, "engine123456"), harness::Unsupported);
  EXPECT_THROW(plans_->choice(*known, "winograd.engine0"), harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
