#include "suites/verify/reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace benanza::verify {
namespace {

/// Returns the whole result.
std::vector<double> solve(const char* key, const std::vector<std::vector<float>>& operands) {
  const Problem problem = parse(key);
  std::vector<double> result;
  for (std::int64_t i = 0; i < element_count(output(problem)); ++i) {
    result.push_back(reference(problem, operands, i));
  }
  return result;
}

using Elements = std::vector<double>;

void expect_near(const Elements& actual, const Elements& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
}

TEST(ReferenceConvolution, PadsAreBeginsThenEnds) {
  // Pads: one row above, one column to the right. Kernel 2x2 of 1 10 / 100 1000 on 1 2 / 3 4.
  EXPECT_EQ(solve("conv/1x1x2x2_k1x2x2_p1.0.0.1_s1x1_d1x1_g1", {{1, 2, 3, 4}, {1, 10, 100, 1000}}),
            (Elements{2100, 200, 4321, 402}));
}

TEST(ReferenceConvolution, StridesAndDilations) {
  // 0 ... 6, taps two apart, stride 3: 0 + 10 * 2, 3 + 10 * 5.
  EXPECT_EQ(solve("conv/1x1x7_k1x2_p0.0_s3_d2_g1", {{0, 1, 2, 3, 4, 5, 6}, {1, 10}}),
            (Elements{20, 53}));
}

TEST(ReferenceConvolution, GroupsSeeTheirChannelsOnly) {
  // Channels 1 2 | 3 4, one pixel; filter 0 sees 1 2, filter 1 sees 3 4. Bias 0.5, -0.5.
  EXPECT_EQ(
      solve("conv/1x4x1_k2x1_p0.0_s1_d1_g2_bias", {{1, 2, 3, 4}, {1, 10, 1, 10}, {0.5, -0.5}}),
      (Elements{21.5, 42.5}));
}

TEST(ReferenceConvolution, ChannelsAndBatches) {
  // Two images of two channels of one pixel; weights 1 10.
  EXPECT_EQ(solve("conv/2x2x1_k1x1_p0.0_s1_d1_g1", {{1, 2, 3, 4}, {1, 10}}), (Elements{21, 43}));
}

TEST(ReferenceConvolution, ThreeDimensions) {
  // A 2x2x2 cube summed.
  EXPECT_EQ(solve("conv/1x1x2x2x2_k1x2x2x2_p0.0.0.0.0.0_s1x1x1_d1x1x1_g1",
                  {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 1, 1, 1, 1, 1}}),
            (Elements{36}));
}

TEST(ReferenceConvolution, MagnitudeIsTheSumOfTheTerms) {
  const std::vector<std::vector<float>> operands{{3, -3}, {1, 1}, {-2}};
  const Element element =
      reference_element(parse("conv/1x2x1_k1x1_p0.0_s1_d1_g1_bias"), operands, 0);
  EXPECT_EQ(element.value, -2);
  EXPECT_EQ(element.magnitude, 8);
}

TEST(ReferenceDeconvolution, PixelsSpreadAndOverlap) {
  // 1 2 3, taps 1 10 100 two apart: 1 10 (100 + 2) 20 (200 + 3) 30 300.
  EXPECT_EQ(solve("deconv/1x1x3_k1x3_p0.0_s2_d1_g1", {{1, 2, 3}, {1, 10, 100}}),
            (Elements{1, 10, 102, 20, 203, 30, 300}));
}

TEST(ReferenceDeconvolution, PadsCutOffAndNegativeEndPadsAdd) {
  EXPECT_EQ(solve("deconv/1x1x3_k1x3_p2.-1_s2_d1_g1", {{1, 2, 3}, {1, 10, 100}}),
            (Elements{102, 20, 203, 30, 300, 0}));
}

TEST(ReferenceDeconvolution, DilationMovesTheTapsApart) {
  EXPECT_EQ(solve("deconv/1x1x2_k1x2_p0.0_s1_d3_g1", {{1, 2}, {1, 10}}),
            (Elements{1, 2, 0, 10, 20}));
}

TEST(ReferenceDeconvolution, WeightsAreChannelsOfAGroupThenFilters) {
  // Channels 1 2 | 3 4 of one pixel, two filters a group; the group's channels 1 10 and 100 1000.
  EXPECT_EQ(solve("deconv/1x4x1_k4x1_p0.0_s1_d1_g2_bias",
                  {{1, 2, 3, 4}, {1, 10, 100, 1000, 1, 10, 100, 1000}, {0.5, 0, 0, 0}}),
            (Elements{201.5, 2010, 403, 4030}));
}

TEST(ReferenceRecurrent, ReverseBeginsAtTheLastStep) {
  // relu(x + 10 h): 1 2 3 from the end: 3, 2 + 30, 1 + 320; the last state is that of step 0.
  EXPECT_EQ(solve("rnnrelu/t3_n1_i1_h1_l1_reverse_final", {{1, 2, 3}, {1}, {10}}),
            (Elements{321, 32, 3, 321}));
  EXPECT_EQ(solve("rnnrelu/t3_n1_i1_h1_l1_forward", {{1, 2, 3}, {1}, {10}}),
            (Elements{1, 12, 123}));
}

TEST(ReferenceRecurrent, DirectionsThenBatchWithinAStep) {
  // Two steps of two batch entries, 1 2 and 3 4; the reverse direction multiplies by 100.
  const std::vector<std::vector<float>> operands{{1, 2, 3, 4}, {1, 100}, {0, 0}};
  EXPECT_EQ(solve("rnnrelu/t2_n2_i1_h1_l1_bidirectional", operands),
            (Elements{1, 2, 100, 200, 3, 4, 300, 400}));
  // Batch first: the entries are 1 2 and 3 4, and both directions of a step are adjacent.
  EXPECT_EQ(solve("rnnrelu/t2_n2_i1_h1_l1_bidirectional_batchfirst", operands),
            (Elements{1, 100, 2, 200, 3, 300, 4, 400}));
}

TEST(ReferenceRecurrent, TheSecondLayerReadsBothDirectionsOfTheFirst) {
  // Layer 0 gives 1 and 10; layer 1 sees 2 * 1 + 3 * 10 and 5 * 1 + 7 * 10.
  EXPECT_EQ(
      solve("rnnrelu/t1_n1_i1_h1_l2_bidirectional_final", {{1}, {1, 10, 2, 3, 5, 7}, {0, 0, 0, 0}}),
      (Elements{32, 75, 1, 10, 32, 75}));
}

TEST(ReferenceRecurrent, LstmGatesAreInputOutputForgetCell) {
  // Biases of +-100 open and close gates. With a closed input gate and open output and forget gates
  // the cell stays.
  const std::vector<float> weights(4, 0);
  const auto cell = [&](const std::vector<float>& gates) {
    std::vector<float> bias = gates;
    bias.resize(8, 0);
    return solve("lstm/t1_n1_i1_h1_l1_forward_bias_initial_final",
                 {{1}, weights, weights, bias, {0.5}, {0.25}});
  };
  expect_near(cell({-100, 100, 100, 1}), {std::tanh(0.25), std::tanh(0.25), 0.25});
  expect_near(cell({100, 100, -100, 1}),
              {std::tanh(std::tanh(1)), std::tanh(std::tanh(1)), std::tanh(1)});
  expect_near(cell({100, -100, 100, 1}), {0, 0, 0.25 + std::tanh(1)});
}

// An input of 120 steps is 1. With one hidden unit a weight is of 1/32, with an open input gate and
// closed forget gate (biases of 800 sixteenths): y = tanh(tanh(16/32)) = 0.4318; then the state,
// times 8/32: tanh(tanh(16/32 + 0.4318 8/32)) = 0.4950.
TEST(ReferenceRecurrent, BytesStandForParts) {
  const Problem problem = parse("lstm/t2_n1_i1_h1_l1_forward_bias");
  const std::vector<std::vector<float>> operands{
      {120, 120}, {0, 0, 0, 16}, {0, 0, 0, 8}, {800, 800, -800, 0, 0, 0, 0, 0}};
  const std::vector<std::int64_t> both{0, 1};
  const auto found = reference_elements(problem, operands, both, Precision::int8);
  EXPECT_NEAR(found[0].value, 0.4318, 1e-4);
  EXPECT_NEAR(found[1].value, 0.4950, 1e-4);
  // The second step uses the first one's byte.
  EXPECT_GT(found[1].carried, found[0].carried);
}

TEST(ReferenceRecurrent, GruResetsBeforeOrAfterTheProduct) {
  // Gates z r h. Update closed, reset half open; state 0.5, recurrence 2 with a bias of 1.
  const std::vector<std::vector<float>> operands{
      {1}, {0, 0, 0}, {0, 0, 2}, {-100, 0, 0, 0, 0, 1}, {0.5}};
  expect_near(solve("gru/t1_n1_i1_h1_l1_forward_bias_initial", operands),
              {std::tanh(0.5 * 0.5 * 2 + 1)});
  expect_near(solve("gru/t1_n1_i1_h1_l1_forward_lbr_bias_initial", operands),
              {std::tanh(0.5 * (0.5 * 2 + 1))});
  // Update open: the state stays.
  expect_near(solve("gru/t1_n1_i1_h1_l1_forward_bias_initial",
                    {{1}, {0, 0, 0}, {0, 0, 2}, {100, 0, 0, 0, 0, 1}, {0.5}}),
              {0.5});
}

TEST(ReferenceRecurrent, StoredStatesCarryTheirErrors) {
  // relu(x + r h): the state 4 of the first step is stored, then weighted by 0.5.
  const std::vector<std::vector<float>> operands{{4, 1}, {1}, {0.5}};
  const Problem problem = parse("rnnrelu/t2_n1_i1_h1_l1_forward");
  EXPECT_EQ(reference_element(problem, operands, 0).carried, 0);
  EXPECT_EQ(reference_element(problem, operands, 1).carried, 2);
  EXPECT_EQ(reference_element(problem, operands, 1).value, 3);
}

TEST(ReferenceDropout, DividesWhatIsKept) {
  EXPECT_EQ(solve("dropout/2_r0.75", {{1, -2}}), (Elements{4, -8}));
}

TEST(ReferenceGemm, Transposes) {
  // A = 1 2 / 3 4 / 5 6 (3x2), B = 1 2 / 3 4 (2x2).
  const Elements product{7, 10, 15, 22, 23, 34};
  EXPECT_EQ(solve("gemm/m3_n2_k2_nn", {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}}), product);
  EXPECT_EQ(solve("gemm/m3_n2_k2_tn", {{1, 3, 5, 2, 4, 6}, {1, 2, 3, 4}}), product);
  EXPECT_EQ(solve("gemm/m3_n2_k2_nt", {{1, 2, 3, 4, 5, 6}, {1, 3, 2, 4}}), product);
  EXPECT_EQ(solve("gemm/m3_n2_k2_tt", {{1, 3, 5, 2, 4, 6}, {1, 3, 2, 4}}), product);
}

TEST(ReferenceGemm, BiasRunsAlongN) {
  EXPECT_EQ(solve("gemm/m2_n2_k1_nn_bias", {{1, 2}, {1, 1}, {10, 20}}), (Elements{11, 21, 12, 22}));
}

TEST(ReferenceGemm, BatchesBroadcast) {
  // A: 2x1 batches (1, 2), B: 1x3 batches (1, 10, 100) of 1x1 matrices.
  EXPECT_EQ(solve("gemm/m1_n1_k1_nn_a2x1_b1x3", {{1, 2}, {1, 10, 100}}),
            (Elements{1, 10, 100, 2, 20, 200}));
}

TEST(ReferencePooling, MaximumIgnoresPadding) {
  EXPECT_EQ(solve("maxpool/1x1x3_k3_p1.1_s1_d1", {{-3, -2, -1}}), (Elements{-2, -1, -1}));
}

TEST(ReferencePooling, AverageWithAndWithoutPadding) {
  expect_near(solve("avgpool/1x1x3_k3_p1.1_s2_d1_include", {{3, 6, 9}}), {3, 5});
  expect_near(solve("avgpool/1x1x3_k3_p1.1_s2_d1_exclude", {{3, 6, 9}}), {4.5, 7.5});
}

TEST(ReferencePooling, DilationAndStride) {
  // Taps 0 and 2, then 2 and 4.
  EXPECT_EQ(solve("maxpool/1x1x5_k2_p0.0_s2_d2", {{5, 9, 1, 9, 2}}), (Elements{5, 2}));
}

TEST(ReferencePooling, GlobalIsAWindowAsLargeAsTheInput) {
  expect_near(solve("avgpool/1x2x2x2_k2x2_p0.0.0.0_s1x1_d1x1_exclude", {{1, 2, 3, 4, 5, 6, 7, 8}}),
              {2.5, 6.5});
}

TEST(ReferenceBatchNormalization, PerChannel) {
  // scale 2 3, bias 10 20, mean 1 2, variance 3.99 8.99 and epsilon 0.01: deviations 2 and 3.
  expect_near(
      solve("batchnorm/1x2x2_e0.01", {{1, 3, 2, 5}, {2, 3}, {10, 20}, {1, 2}, {3.99F, 8.99F}}),
      {10, 12, 20, 23});
}

TEST(ReferenceActivation, EachFunction) {
  const std::vector<std::vector<float>> x{{-2, 0, 3}};
  EXPECT_EQ(solve("relu/3", x), (Elements{0, 0, 3}));
  EXPECT_EQ(solve("leakyrelu/3_a0.5", x), (Elements{-1, 0, 3}));
  EXPECT_EQ(solve("clip/3_a-1_b2", x), (Elements{-1, 0, 2}));
  EXPECT_EQ(solve("linear/3_a2_b1", x), (Elements{-3, 1, 7}));
  expect_near(solve("elu/3_a2", x), {2 * (std::exp(-2.0) - 1), 0, 3});
  expect_near(solve("sigmoid/3", x), {0.11920292, 0.5, 0.95257413});
  expect_near(solve("tanh/3", x), {-0.96402758, 0, 0.99505475});
}

TEST(ReferenceBinary, EachFunction) {
  const std::vector<std::vector<float>> ab{{6, -6}, {3, 2}};
  EXPECT_EQ(solve("add/2_2", ab), (Elements{9, -4}));
  EXPECT_EQ(solve("sub/2_2", ab), (Elements{3, -8}));
  EXPECT_EQ(solve("mul/2_2", ab), (Elements{18, -12}));
  EXPECT_EQ(solve("div/2_2", ab), (Elements{2, -3}));
  EXPECT_EQ(solve("max/2_2", ab), (Elements{6, 2}));
  EXPECT_EQ(solve("min/2_2", ab), (Elements{3, -6}));
  EXPECT_EQ(solve("prelu/2_2", ab), (Elements{6, -12}));
}

TEST(ReferenceBinary, BroadcastsBothWays) {
  EXPECT_EQ(solve("add/2x1_1x3", {{10, 20}, {1, 2, 3}}), (Elements{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(solve("add/1x2x2_1x2x1_w", {{1, 2, 3, 4}, {10, 20}}), (Elements{11, 12, 23, 24}));
}

TEST(ReferenceSoftmax, AlongItsAxis) {
  // e^0 : e^ln3 = 1 : 3 down the columns.
  const auto ln3 = static_cast<float>(std::log(3.0));
  expect_near(solve("softmax/2x2_a0", {{0, 5, ln3, 5}}), {0.25, 0.5, 0.75, 0.5});
  expect_near(solve("softmax/2x2_a1", {{0, ln3, 5, 5}}), {0.25, 0.75, 0.5, 0.5});
  expect_near(solve("logsoftmax/1x2_a1", {{0, ln3}}), {std::log(0.25), std::log(0.75)});
}

TEST(ReferenceLrn, NeighboursAndTheirMean) {
  // size 3, alpha 3: k + 1 * (sum of squares); beta 1.
  expect_near(solve("lrn/1x3x1_n3_a3_b1_k1", {{1, 2, 3}}),
              {1.0 / (1 + 1 + 4), 2.0 / (1 + 1 + 4 + 9), 3.0 / (1 + 4 + 9)});
  // An even size includes one more channel after than before: floor(1/2) = 0 before, ceil(1/2) = 1
  // after.
  expect_near(solve("lrn/1x3x1_n2_a2_b1_k1", {{1, 2, 3}}),
              {1.0 / (1 + 1 + 4), 2.0 / (1 + 4 + 9), 3.0 / (1 + 9)});
}

TEST(ReferenceReduction, EachFunctionOverAnyAxes) {
  const std::vector<std::vector<float>> x{{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(solve("reducesum/2x3_a0", x), (Elements{5, 7, 9}));
  EXPECT_EQ(solve("reducesum/2x3_a1", x), (Elements{6, 15}));
  EXPECT_EQ(solve("reducemean/2x3_a0.1", x), (Elements{3.5}));
  EXPECT_EQ(solve("reducemax/1x2x3_a0.2", x), (Elements{3, 6}));
}

TEST(ReferenceConcat, AlongItsAxis) {
  EXPECT_EQ(solve("concat/2x1_2x2_a1", {{1, 2}, {3, 4, 5, 6}}), (Elements{1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(solve("concat/1x2_2x2_a0", {{1, 2}, {3, 4, 5, 6}}), (Elements{1, 2, 3, 4, 5, 6}));
}

TEST(ReferenceCopy, Transposes) {
  // 2x3 to 3x2.
  EXPECT_EQ(solve("copy/2x3_f3.1_t1.2", {{1, 2, 3, 4, 5, 6}}), (Elements{1, 4, 2, 5, 3, 6}));
}

TEST(ReferenceCopy, GapsAreNobodys) {
  const Problem problem = parse("copy/2x2_f2.1_t4.2");
  const std::vector<std::vector<float>> x{{1, 2, 3, 4}};
  EXPECT_EQ(reference(problem, x, 0), 1);
  EXPECT_EQ(reference(problem, x, 2), 2);
  EXPECT_EQ(reference(problem, x, 4), 3);
  EXPECT_EQ(reference(problem, x, 6), 4);
  EXPECT_THROW(reference(problem, x, 1), std::out_of_range);
}

TEST(ReferenceCopy, ViewsThatInterleave) {
  // Offsets 0 3 / 2 5 / 4 7: the largest stride is not the outermost step.
  const Problem problem = parse("copy/3x2_f2.1_t2.3");
  const std::vector<std::vector<float>> x{{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(reference(problem, x, 4), 5);
  EXPECT_EQ(reference(problem, x, 5), 4);
}

TEST(ReferenceCollective, RanksStandOneAfterTheOther) {
  const std::vector<std::vector<float>> two{{1, 2}, {10, 20}};
  EXPECT_EQ(solve("all_reduce/2_r2", two), (Elements{11, 22, 11, 22}));
  EXPECT_EQ(solve("reduce_scatter/2_r2", two), (Elements{11, 22}));
  EXPECT_EQ(solve("all_to_all/2_r2", two), (Elements{1, 10, 2, 20}));
  EXPECT_EQ(solve("all_gather/4_r2", two), (Elements{1, 2, 10, 20, 1, 2, 10, 20}));
  EXPECT_EQ(solve("broadcast/2_r2", {{1, 2}}), (Elements{1, 2, 1, 2}));
}

TEST(ReferenceSelect, TakesTheFirstWhereTheConditionIsOne) {
  EXPECT_EQ(solve("select/4_a4_b4", {{1, 0, 0, 1}, {1, 2, 3, 4}, {10, 20, 30, 40}}),
            (Elements{1, 20, 30, 4}));
}

TEST(ReferenceSelect, EveryOperandBroadcasts) {
  EXPECT_EQ(solve("select/1x2_a2x1_b1x1", {{1, 0}, {1, 2}, {10}}), (Elements{1, 10, 2, 10}));
}

TEST(ReferenceSelect, NumbersAreNoOperands) {
  EXPECT_EQ(solve("select/3_va5_b3", {{1, 0, 1}, {10, 20, 30}}), (Elements{5, 20, 5}));
  EXPECT_EQ(solve("select/3_a3_vb5", {{1, 0, 1}, {10, 20, 30}}), (Elements{10, 5, 30}));
  EXPECT_EQ(solve("select/3_va5_vb-inf", {{1, 0, 1}}), (Elements{5, -INFINITY, 5}));
}

TEST(ReferenceRotary, HalvesOfARowArePairs) {
  EXPECT_EQ(
      solve("rotary/1x1x2x4_t1x1x2x2", {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 0, 2, 1}, {0, 1, 1, 0}}),
      (Elements{1, -4, 3, 2, 3, 6, 19, 8}));
}

TEST(ReferenceRotary, EachHalfMayHaveItsOwnNumbers) {
  EXPECT_EQ(solve("rotary/1x1x1x4_t1x1x1x4", {{1, 2, 3, 4}, {1, 2, 3, 4}, {5, 6, 7, 8}}),
            (Elements{-14, -20, 16, 32}));
}

// Points (1, 2) by (1, 0) and (3, 4) by (0, 1) [cosine, sine]; then a cosine and a sine per
// element.
TEST(ReferenceRotary, NeighboursArePairs) {
  EXPECT_EQ(solve("rotary/1x1x1x4_t1x1x1x2_interleaved", {{1, 2, 3, 4}, {1, 0}, {0, 1}}),
            (Elements{1, 2, -4, 3}));
  EXPECT_EQ(
      solve("rotary/1x1x1x4_t1x1x1x4_interleaved", {{1, 2, 3, 4}, {1, 2, 3, 4}, {5, 6, 7, 8}}),
      (Elements{-9, 10, -19, 40}));
}

// The other alternative must leave no trace: fully masked softmax rows are NaN.
TEST(ReferenceSelect, HidesWhatIsNoNumber) {
  EXPECT_EQ(solve("select/2_va0_b2", {{1, 0}, {NAN, 7}}), (Elements{0, 7}));
}

}  // namespace
}  // namespace benanza::verify
