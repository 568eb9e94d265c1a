#include "analysis/model/floor.h"

#include <gmock/gmock.h>

#include "analysis/model/whole.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::DoubleEq;
using testing::Optional;

// 56 outputs by 3 taps with a pixel of padding on both sides: 168 products, 2 of them on padding;
// by Winograd's bound 56 + 3 - 1.
TEST(LeastProducts, OfAKernelOfThree) {
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 56, .kernel = 3, .pad = 1}), 58);
  // Without padding 54 outputs: F(54, 3) takes 56.
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 54, .kernel = 3}), 56);
}

// F(2, 3) takes 4 multiplications instead of 6, F(4, 3) 6 instead of 12.
TEST(LeastProducts, AreThoseOfTheKnownSmallAlgorithms) {
  EXPECT_EQ(least_products({.inputs = 4, .outputs = 2, .kernel = 3}), 4);
  EXPECT_EQ(least_products({.inputs = 6, .outputs = 4, .kernel = 3}), 6);
}

// One pixel, and a kernel of 3 that meets it with its middle tap alone. Two pixels: y0 = w1 x0 + w2
// x1 and y1 = w0 x0 + w1 x1 take 3 multiplications instead of 4 (Karatsuba).
TEST(LeastProducts, OfTinyImages) {
  EXPECT_EQ(least_products({.inputs = 1, .outputs = 1, .kernel = 3, .pad = 1}), 1);
  EXPECT_EQ(least_products({.inputs = 2, .outputs = 2, .kernel = 3, .pad = 1}), 3);
}

// 112 outputs of 224 inputs by 7 taps at stride 2: even and odd taps, 4 and 3 of them, meet every
// other input: 112 + 4 - 1 and 112 + 3 - 1, where the axis has 7 times 112 less what is padding.
TEST(LeastProducts, AStrideMakesSeveralSums) {
  EXPECT_EQ(least_products({.inputs = 224, .outputs = 112, .kernel = 7, .stride = 2, .pad = 3}),
            229);
  // A kernel of 1 saves nothing: one product each.
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 28, .kernel = 1, .stride = 2}), 28);
}

// Dilation 2: outputs 0, 2, 4 meet inputs 0, 2, 4, 6, 8; outputs 1, 3, 5 the others. 3 + 3 - 1
// each.
TEST(LeastProducts, ADilationMakesSeveralSums) {
  EXPECT_EQ(least_products({.inputs = 10, .outputs = 6, .kernel = 3, .dilation = 2}), 10);
}

// Stride and dilation: the products themselves, 3 taps for each of 4 outputs.
TEST(LeastProducts, OfStrideAndDilationAreCounted) {
  EXPECT_EQ(least_products({.inputs = 12, .outputs = 4, .kernel = 3, .stride = 2, .dilation = 2}),
            12);
}

double flops(const std::string& key) { return least_flops(parse(key)); }

TEST(LeastFlops, OfAConvolution) {
  // 64 x 64 pairs of channels, 58 x 58 multiplications instead of 56 x 56 x 9.
  EXPECT_DOUBLE_EQ(flops("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1"), 2.0 * 64 * 64 * 58 * 58);
  // 1x1: all of them.
  EXPECT_DOUBLE_EQ(flops("conv/2x64x56x56_k128x1x1_p0.0.0.0_s1x1_d1x1_g1"),
                   2.0 * 2 * 64 * 128 * 56 * 56);
  // Depthwise: one pair a channel.
  EXPECT_DOUBLE_EQ(flops("conv/1x96x56x56_k96x7x7_p3.3.3.3_s1x1_d1x1_g96"), 2.0 * 96 * 62 * 62);
}

// 4x4 at stride 2 from 7x7 to 14x14: as the convolution from 14 to 7, whose even and odd taps, 2
// and 2, take 7 + 2 - 1 each: 16 an axis, where the products are 7 x 4 less those on padding.
TEST(LeastFlops, OfATransposedConvolution) {
  EXPECT_DOUBLE_EQ(flops("deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1"), 2.0 * 64 * 32 * 16 * 16);
}

TEST(LeastFlops, OfProductsAndTheRest) {
  EXPECT_DOUBLE_EQ(flops("gemm/m128_n768_k3072_nt"), 2.0 * 128 * 768 * 3072);
  EXPECT_DOUBLE_EQ(flops("relu/1x64x56x56"), 0);
}

// 4 queries and 6 keys: query i sees 3 + i keys, 3 + 4 + 5 + 6 of 24 scores, each 64 + 64 products.
TEST(LeastFlops, OfAttentionWithoutWhatIsHidden) {
  EXPECT_DOUBLE_EQ(flops("attention/1x12x4x64_k12x6x64_s0.125"), 2.0 * 12 * 24 * 128);
  EXPECT_DOUBLE_EQ(flops("attention/1x12x4x64_k12x6x64_s0.125_causal"), 2.0 * 12 * 18 * 128);
}

// Three steps of 4 gates of 5: the input's products always, the state's not where it is zero.
TEST(LeastFlops, OfARecurrentLayer) {
  EXPECT_DOUBLE_EQ(flops("lstm/t3_n2_i7_h5_l1_forward_bias"), 2.0 * 2 * 4 * 5 * (3 * 7 + 2 * 5));
}

TEST(LeastBytes, PixelsThatNobodyReadsDoNotCount) {
  // Every other pixel of every other row: 28 x 28 of 56 x 56.
  const Problem strided = parse("conv/1x8x56x56_k16x1x1_p0.0.0.0_s2x2_d1x1_g1");
  EXPECT_DOUBLE_EQ(least_bytes(strided, Precision::fp16),
                   2.0 * (8 * 28 * 28 + 16 * 8 + 16 * 28 * 28));
  // The last of 10 pixels is behind the last window: 9 of 10 on both axes.
  const Problem behind = parse("maxpool/1x8x10x10_k3x3_p0.0.0.0_s2x2_d1x1");
  EXPECT_DOUBLE_EQ(least_bytes(behind, Precision::fp32), 4.0 * 8 * (9 * 9 + 4 * 4));
  const Problem plain = parse("conv/1x8x56x56_k16x3x3_p1.1.1.1_s1x1_d1x1_g1");
  EXPECT_DOUBLE_EQ(least_bytes(plain, Precision::fp32),
                   4.0 * (8 * 56 * 56 + 16 * 8 * 9 + 16 * 56 * 56));
}

const DeviceRates rates{.flops_per_second = 1e12, .bytes_per_second = 1e11, .cache_bytes = 1e6};

TEST(Floor, IsTheLargerOfArithmeticAndMemory) {
  // 3e6 bytes, of which the cache may keep 1e6: 20 us at 1e11; 5e6 FLOP: 5 us.
  const Floor floor = floor_of(5e6, 2e6, 3e6, rates, false);
  EXPECT_THAT(floor.arithmetic_seconds, Optional(DoubleEq(5 * us)));
  EXPECT_THAT(floor.memory_seconds, Optional(DoubleEq(20 * us)));
  EXPECT_THAT(floor.seconds(), Optional(DoubleEq(20 * us)));
  EXPECT_TRUE(floor.is_by_memory());
  EXPECT_THAT(floor_of(5e6, 2e5, 5e5, rates, false).memory_seconds, Optional(0.0));
  // With cold caches all that is read comes from memory.
  EXPECT_THAT(floor_of(5e6, 2.5e6, 3e6, rates, true).seconds(), Optional(DoubleEq(25 * us)));
}

TEST(Floor, WithoutPeaksIsNotKnown) {
  EXPECT_EQ(floor_of(5e6, 2e6, 3e6, {}, false).seconds(), std::nullopt);
  // Without the size of the cache nobody knows what has to be moved.
  EXPECT_THAT(floor_of(5e6, 2e6, 3e6, {.flops_per_second = 1e12, .bytes_per_second = 1e11}, false)
                  .seconds(),
              Optional(DoubleEq(5 * us)));
}

TEST(DeviceRates, AreThoseOfTheBackendsThatAreAsked) {
  Results results;
  results.peaks = {
      {"cublas", {{"peak_fp16_flops_per_second", 7e14}, {"peak_bytes_per_second", 3e12}}},
      {"cudnn", {{"peak_fp16_flops_per_second", 6e14}, {"peak_bytes_per_second", 4e12}}}};
  results.systems = {{"cublas", {{"l2_bytes", "50000000"}}}, {"cudnn", {{"l2_bytes", "many"}}}};
  const DeviceRates both = device_rates(results, {.precision = Precision::fp16});
  EXPECT_THAT(both.flops_per_second, Optional(7e14));
  EXPECT_THAT(both.bytes_per_second, Optional(4e12));
  EXPECT_THAT(both.cache_bytes, Optional(5e7));
  const DeviceRates one = device_rates(results, {.precision = Precision::fp16, .backend = "cudnn"});
  EXPECT_THAT(one.flops_per_second, Optional(6e14));
  EXPECT_EQ(one.cache_bytes, std::nullopt);
  EXPECT_EQ(device_rates(results, {.precision = Precision::bf16}).flops_per_second, std::nullopt);
}

Layer product(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
              std::vector<std::string> problems) {
  return {.name = name,
          .op = op,
          .inputs = std::move(inputs),
          .cost = Cost::measured,
          .problems = std::move(problems),
          .outputs = {{.name = name, .type = "float", .shape = Dims{100, 200}}}};
}

TEST(ModelFloor, SumsArithmeticAndCountsCompulsoryBytesOnce) {
  Graph graph{.model = "m",
              .batch = 1,
              .compulsory = Compulsory{.inputs = {.elements = 1'000'000, .bytes = 40},
                                       .weights = {.elements = 500'000},
                                       .outputs = {.elements = 250'000}},
              .layers = {product("a", "MatMul", {}, {"gemm/m100_n200_k50_nn_w"}),
                         product("b", "MatMul", {0}, {"gemm/m100_n200_k50_nn_w"})}};
  MeasurementSet set;
  set.add(measured("gemm/m100_n200_k50_nn_w/fp16/plain/cublas/x", five(30 * us)));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto times = layer_times(graph, set, filter);
  const ModelFloor floor = model_floor(graph, times, rates, filter);
  // Twice 2 x 100 x 200 x 50 FLOP; 2 x 1.75e6 + 40 bytes, less 1e6.
  EXPECT_DOUBLE_EQ(floor.model.flops, 4e6);
  EXPECT_THAT(floor.model.bytes, Optional(DoubleEq(3'500'040)));
  EXPECT_THAT(floor.model.seconds(), Optional(DoubleEq(2'500'040 / 1e11)));
  // A layer: 2 us; its 0.08 MB fit the cache.
  EXPECT_THAT(floor.layers[0].seconds(), Optional(DoubleEq(2 * us)));
  graph.compulsory.reset();
  EXPECT_THAT(model_floor(graph, times, rates, filter).model.seconds(), Optional(DoubleEq(4 * us)));
}

// A running sum as a product with a triangle: nobody has to multiply.
TEST(ModelFloor, ProductsThatOnlyComputeAnotherOperatorDoNotCount) {
  const Graph graph{.model = "m",
                    .layers = {product("sum", "CumSum", {}, {"gemm/m100_n200_k50_nn_w"})}};
  MeasurementSet set;
  set.add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x", five(30 * us)));
  const auto times = layer_times(graph, set, {});
  EXPECT_DOUBLE_EQ(model_floor(graph, times, rates, {}).model.flops, 0);
}

// Attention in its pieces, 4 queries and 4 keys, of which a mask hides 6 scores of 16.
TEST(ModelFloor, AnOperatorAsAWholeMayNeedLess) {
  const std::string whole = "attention/1x1x4x64_k1x4x64_s0.125_causal";
  const Graph graph{
      .model = "m",
      .layers = {product("qk", "MatMul", {}, {"gemm/m4_n4_k64_nt"}),
                 product("softmax", "Softmax", {0}, {"softmax/4x4_a1"}),
                 product("pv", "MatMul", {1}, {"gemm/m4_n64_k4_nn"})},
      .fusions = {{.pattern = "attention", .layers = {0, 1, 2}, .problem = whole, .whole = true}}};
  MeasurementSet set;
  set.add(measured(whole + "/fp16/plain/cudnn/x", five(3 * us)));
  const MeasurementFilter filter{.precision = Precision::fp16};
  const auto times = operator_times(graph, set, filter, Movement::exclude);
  const ModelFloor floor = model_floor(graph, times, rates, filter);
  EXPECT_DOUBLE_EQ(floor.model.flops, 2.0 * 10 * 128);
  EXPECT_DOUBLE_EQ(floor.layers[2].flops, 2.0 * 10 * 128);
  // Q, K, V and the result, 4 x 64 each; no scores.
  EXPECT_THAT(floor.layers[2].bytes, Optional(DoubleEq(2.0 * 4 * 4 * 64)));
}

// Convolution and bias are two calls, or one: what passes between the two is not counted.
TEST(ModelFloor, ALayerOfSeveralCallsIsThatOfTheOneThatDoesThem) {
  const std::string conv = "conv/1x8x10x10_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  Graph graph{.model = "m",
              .layers = {product("c", "Conv", {}, {conv, "add/1x8x10x10_1x8x1x1_w"})},
              .fusions = {{.pattern = "conv_bias", .layers = {0}, .problem = conv + "_bias"}}};
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/cudnn/x", five(3 * us)));
  set.add(measured("add/1x8x10x10_1x8x1x1_w/fp32/nchw/cudnn/x", five(3 * us)));
  const auto times = layer_times(graph, set, {});
  EXPECT_THAT(model_floor(graph, times, rates, {}).layers[0].bytes,
              Optional(DoubleEq(4.0 * (800 + 64 + 8 + 800))));
  graph.fusions.clear();
  // Its result alone, by the graph: 100 x 200.
  EXPECT_THAT(model_floor(graph, times, rates, {}).layers[0].bytes, Optional(DoubleEq(80'000)));
}

}  // namespace
}  // namespace benanza::analysis
