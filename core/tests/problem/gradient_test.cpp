// Problems of a training step: their operands, results and costs.

#include <gmock/gmock.h>

#include <stdexcept>

#include "core/problem/least_work.h"
#include "core/problem/problem.h"

namespace benanza {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> operand_names(const Problem& problem) {
  std::vector<std::string_view> names;
  for (const Operand& operand : inputs(problem)) names.push_back(operand.name);
  return names;
}

TEST(ConvolutionFilterGradient, HasTheConvolutionsFlopsAndTheWeightsShape) {
  const Problem forward = parse("conv/2x8x9x7_k4x3x3_p1.1.1.1_s2x2_d1x1_g2");
  const Problem gradient = parse("conv_bwd_filter/2x8x9x7_k4x3x3_p1.1.1.1_s2x2_d1x1_g2");
  EXPECT_EQ(output(gradient), (Dims{4, 4, 3, 3}));
  EXPECT_EQ(inputs(gradient)[1].dims, (Dims{2, 4, 5, 4}));
  EXPECT_EQ(work(gradient, Precision::fp32).flops, work(forward, Precision::fp32).flops);
  EXPECT_EQ(direct_flops(gradient), direct_flops(forward));
  EXPECT_EQ(least_flops(gradient), least_flops(forward));
  EXPECT_EQ(reduction_length(gradient), 2 * 5 * 4);
}

TEST(ConvolutionFilterGradient, MayGiveTheGradientOfABiasToo) {
  const Problem gradient = parse("conv_bwd_filter/2x8x9x7_k4x3x3_p1.1.1.1_s2x2_d1x1_g2_bias");
  EXPECT_THAT(results(gradient), ElementsAre(Dims{4, 4, 3, 3}, Dims{4}));
  EXPECT_EQ(output(gradient), Dims{4 * 4 * 9 + 4});
  const Problem without = parse("conv_bwd_filter/2x8x9x7_k4x3x3_p1.1.1.1_s2x2_d1x1_g2");
  EXPECT_EQ(work(gradient, Precision::fp32).flops,
            work(without, Precision::fp32).flops + 2 * 4 * 5 * 4);
}

// Pixels between the strides are not needed: of 9 x 9 pixels, 5 x 5 are multiplied with a weight.
TEST(ConvolutionFilterGradient, LeavesOutPixelsThatTheWindowStepsOver) {
  const Problem gradient = parse("conv_bwd_filter/1x1x9x9_k1x1x1_p0.0.0.0_s2x2_d1x1_g1");
  EXPECT_EQ(least_read_bytes(gradient, Precision::fp32), 4 * (25 + 25));
}

// The derivative of relu needs only the result's sign; that of gelu needs its input.
TEST(ActivationGradient, ReadsWhatItsDerivativeIsTakenOf) {
  EXPECT_THAT(operand_names(parse("relu_bwd/2x3")), ElementsAre("output gradient", "result"));
  EXPECT_THAT(operand_names(parse("gelu_bwd/2x3")), ElementsAre("output gradient", "input"));
  EXPECT_THAT(operand_names(parse("elu_bwd/2x3_a-1")), ElementsAre("output gradient", "input"));
  EXPECT_THROW(parse("linear_bwd/2x3_a1_b0"), std::invalid_argument);
  EXPECT_THROW(parse("floor_bwd/2x3"), std::invalid_argument);
}

TEST(PoolingGradient, OfAnAverageNeedsNoInput) {
  EXPECT_THAT(operand_names(parse("avgpool_bwd/1x8x4x4_k2x2_p0.0.0.0_s2x2_d1x1_exclude")),
              ElementsAre("output gradient"));
  const Problem most = parse("maxpool_bwd/1x8x4x4_k2x2_p0.0.0.0_s2x2_d1x1");
  EXPECT_THAT(operand_names(most), ElementsAre("output gradient", "input"));
  EXPECT_EQ(output(most), (Dims{1, 8, 4, 4}));
  EXPECT_EQ(work(most, Precision::fp32).flops, 8 * 2 * 2);
}

TEST(BatchNormalizationTraining, GivesItsStatisticsToo) {
  const Problem problem = parse("batchnorm_training/2x3x4x5_e1e-05");
  EXPECT_THAT(results(problem), ElementsAre(Dims{2, 3, 4, 5}, Dims{3}, Dims{3}));
  EXPECT_EQ(output(problem), Dims{2 * 3 * 4 * 5 + 6});
  EXPECT_EQ(reduction_length(problem), 2 * 4 * 5);
  EXPECT_EQ(work(problem, Precision::fp32).flops, 5 * 120);
}

// Reads two tensors and writes one, and five small vectors.
TEST(BatchNormalizationGradient, Bytes) {
  const Work total = work(parse("batchnorm_bwd/2x3x4x5_e1e-05"), Precision::fp32);
  EXPECT_EQ(total.bytes_read, 4 * (2 * 120 + 3 * 3));
  EXPECT_EQ(total.bytes_written, 4 * (120 + 2 * 3));
}

TEST(LayerNormalizationGradient, OfTheRootMeanSquareHasNoMean) {
  EXPECT_THAT(operand_names(parse("layernorm_bwd/6x8_e1e-05_sb")),
              ElementsAre("output gradient", "input", "scale", "mean", "variance"));
  EXPECT_THAT(operand_names(parse("rmsnorm_bwd/6x8_e1e-05_s")),
              ElementsAre("output gradient", "input", "scale", "variance"));
  EXPECT_THAT(results(parse("layernorm_bwd/6x8_e1e-05_sb")),
              ElementsAre(Dims{6, 8}, Dims{8}, Dims{8}));
  EXPECT_EQ(work(parse("layernorm_bwd/6x8_e1e-05_sb"), Precision::fp32).flops, 13 * 48);
}

TEST(AttentionGradient, HasWhatTheForwardPassKept) {
  const Problem problem = parse("attention_bwd/2x8x16x64_k4x128x32_s1_m2x1x1x128");
  EXPECT_THAT(operand_names(problem),
              ElementsAre("output gradient", "q", "k", "v", "result", "logarithms", "mask"));
  EXPECT_EQ(inputs(problem)[AttentionGradient::result].dims, (Dims{2, 8, 16, 32}));
  EXPECT_EQ(inputs(problem)[AttentionGradient::logarithms].dims, (Dims{2, 8, 16, 1}));
  EXPECT_THAT(results(problem),
              ElementsAre(Dims{2, 8, 16, 64}, Dims{2, 4, 128, 64}, Dims{2, 4, 128, 32}));
  // 2 x 8 x 16 x 128 scores: two products of 64, two of 32, and the gradient of the softmax.
  EXPECT_EQ(work(problem, Precision::fp16).flops, 32768.0 * (4 * 64 + 4 * 32 + 4));
  // Two heads of 16 queries share a key.
  EXPECT_EQ(reduction_length(parse("attention_bwd/1x8x16x64_k4x20x32_s1")), 32);
  EXPECT_EQ(reduction_length(problem), 128);
}

// The gradient's products are twice the forward's.
TEST(AttentionGradient, LeavesOutWhatIsHidden) {
  for (const char* fields : {"1x12x4x64_k12x6x64_s0.125", "1x12x4x64_k12x6x64_s0.125_causal"}) {
    EXPECT_DOUBLE_EQ(least_flops(parse(std::string("attention_bwd/") + fields)),
                     2 * least_flops(parse(std::string("attention/") + fields)));
  }
}

TEST(RecurrentGradient, OfDataOfWeightsAndOfBoth) {
  const std::string fields = "t5_n2_i3_h4_l1_forward_bias_initial_final";
  EXPECT_THAT(operand_names(parse("lstm_bwd_data/" + fields)),
              ElementsAre("input", "weights", "recurrence", "bias", "initial_h", "initial_c",
                          "output gradient", "last h gradient", "last c gradient"));
  const Dims state{1, 2, 4};
  EXPECT_THAT(results(parse("lstm_bwd_data/" + fields)), ElementsAre(Dims{5, 2, 3}, state, state));
  EXPECT_THAT(results(parse("lstm_bwd_weights/" + fields)),
              ElementsAre(Dims{1, 16, 3}, Dims{1, 16, 4}, Dims{1, 32}));
  const Problem both = parse("lstm_bwd/" + fields);
  EXPECT_EQ(results(both).size(), 6U);
  EXPECT_EQ(output(both), Dims{5 * 2 * 3 + 2 * 8 + 16 * 3 + 16 * 4 + 32});
  EXPECT_THROW(parse("lstm_bwd/" + fields + "_training"), std::invalid_argument);
}

// Products: 5 steps of 2 entries, 16 rows of 3 inputs and 4 units, two per multiply-add.
TEST(RecurrentGradient, TakesTwiceTheForwardsProducts) {
  const std::string fields = "t5_n2_i3_h4_l1_forward_bias";
  const double products = 2.0 * 10 * 16 * (3 + 4);
  const auto flops = [&](const char* op) {
    return work(parse(op + fields), Precision::fp32).flops;
  };
  // Per unit, step and entry: 23 for the gates' derivatives; a sum for each of four biases.
  EXPECT_EQ(flops("lstm_bwd_data/"), products + 40 * 23);
  EXPECT_EQ(flops("lstm_bwd_weights/"), products + 40 * 4);
  EXPECT_EQ(flops("lstm_bwd/"), flops("lstm_bwd_data/") + flops("lstm_bwd_weights/"));
  EXPECT_EQ(least_flops(parse("lstm_bwd/" + fields)), 2 * least_flops(parse("lstm/" + fields)));
}

// The weight gradients read inputs, states and the gates' gradients. The data gradients read the
// weights, the gradients of the result, and what the forward call kept of the gates.
TEST(RecurrentGradient, Bytes) {
  const std::string fields = "t5_n2_i3_h4_l1_forward_bias";
  const Work data = work(parse("lstm_bwd_data/" + fields), Precision::fp32);
  EXPECT_EQ(data.bytes_read, 4 * (16 * 3 + 16 * 4 + 40 + 4 * 40));
  EXPECT_EQ(data.bytes_written, 4 * 5 * 2 * 3);
  const Work weights = work(parse("lstm_bwd_weights/" + fields), Precision::fp32);
  EXPECT_EQ(weights.bytes_read, 4 * (30 + 40 + 4 * 40));
  EXPECT_EQ(weights.bytes_written, 4 * (16 * 3 + 16 * 4 + 32));
  const Work both = work(parse("lstm_bwd/" + fields), Precision::fp32);
  EXPECT_EQ(both.bytes_read, data.bytes_read + 4 * (30 + 40));
}

TEST(LrnGradient, ReadsTheInputAgain) {
  EXPECT_THAT(operand_names(parse("lrn_bwd/1x8x4x4_n5_a1e-04_b0.75_k1")),
              ElementsAre("output gradient", "input"));
  EXPECT_EQ(work(parse("lrn_bwd/1x8x4x4_n5_a1e-04_b0.75_k1"), Precision::fp32).flops, 29 * 128);
}

// One side is fp32 at every precision.
TEST(Cast, Bytes) {
  const Work narrowed = work(parse("narrow/1x10"), Precision::fp16);
  EXPECT_EQ(narrowed.bytes_read, 40);
  EXPECT_EQ(narrowed.bytes_written, 20);
  const Work widened = work(parse("widen/1x10"), Precision::bf16);
  EXPECT_EQ(widened.bytes_read, 20);
  EXPECT_EQ(widened.bytes_written, 40);
}

TEST(Gradients, TakeNoSteps) {
  for (const char* key :
       {"relu_bwd/2x3", "batchnorm_training/2x3x4x5_e1e-05", "softmax_bwd/2x3_a1"}) {
    EXPECT_FALSE(takes_steps(parse(key).shape)) << key;
  }
}

}  // namespace
}  // namespace benanza
