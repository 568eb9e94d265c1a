#include <gtest/gtest.h>

#include <cmath>

#include "suites/tests/verify/expect.h"
#include "suites/verify/reference.h"

namespace benanza::verify {
namespace {

TEST(ReferenceLayerNormalization, EveryRowByItself) {
  // Rows 1 3 (mean 2, variance 1) and 10 14 (mean 12, variance 4).
  expect("layernorm/2x2_e0", {{1, 3, 10, 14}}, {-1, 1, -1, 1});
  expect("layernorm/2x2_e0_sb", {{1, 3, 10, 14}, {2, 3}, {10, 20}}, {8, 23, 8, 23});
  // Variance 1 and epsilon 3: deviation 2.
  expect("layernorm/1x2_e3", {{1, 3}}, {-0.5, 0.5});
}

TEST(ReferenceLayerNormalization, RootMeanSquareKeepsTheMean) {
  // Mean of squares of 3 and 5: 17, and 8 more: 25.
  expect("rmsnorm/1x2_e8_s", {{3, 5}, {1, 10}}, {0.6, 10});
}

TEST(ReferenceInstanceNormalization, EveryChannelOfEveryImage) {
  // Two images of two channels of two pixels.
  expect("instancenorm/2x2x2_e0_sb", {{1, 3, 10, 14, 0, 2, 5, 7}, {1, 2}, {0, 100}},
         {-1, 1, 98, 102, -1, 1, 98, 102});
}

TEST(ReferenceResampling, HalfPixelCentres) {
  // 4 pixels from 0 and 8: centres at -0.25, 0.25, 0.75, 1.25.
  expect("resample/1x1x2_o4_linear", {{0, 8}}, {0, 2, 6, 8});
  expect("resample/1x1x2_o4_nearest", {{0, 8}}, {0, 0, 8, 8});
  expect("resample/1x1x4_o2_linear", {{0, 2, 4, 8}}, {1, 6});
  expect("resample/1x1x1_o3_linear", {{5}}, {5, 5, 5});
  // Both axes: the centre is the mean of the corners.
  expect("resample/1x1x2x2_o1x1_linear", {{1, 2, 3, 6}}, {3});
}

// The pixel at 2.25 of 0, 2, 4, 8: 4 + 4 / 4, and an error of its position of 2.25 times the step.
TEST(ReferenceResampling, PositionsAreRounded) {
  const std::vector<std::vector<float>> x{{0, 2, 4, 8}};
  const Element element = reference_element(parse("resample/1x1x4_o8_linear"), x, 5);
  EXPECT_EQ(element.value, 5);
  EXPECT_EQ(element.magnitude, 5 + 2.25 * 4);
}

TEST(ReferenceQuantization, EighthsToWholeNumbersAndBack) {
  expect("quantize/3", {{0.5, -0.25, 100}}, {4, -2, 127});
  expect("dequantize/3", {{4, -2, 127}}, {0.5, -0.25, 15.875});
  // Steps of e4m3: 1/8 from 1 to 2, 32 from 256 on; below 2^-6, 2^-9.
  expect("quantize/5_fp8", {{0.5, 0.1328125, -100, 0x1p-13, 0x3p-13}}, {4, 1, -448, 0, 0x1p-8});
  expect("dequantize/3_fp8", {{4, -1.0625, 460}}, {0.5, -0.125, 56});
}

TEST(ReferenceActivation, FunctionsOfTransformers) {
  const std::vector<std::vector<float>> x{{-1, 0, 2}};
  expect("gelu/3", x, {-0.15865525, 0, 1.95449974});
  expect("gelutanh/3", x, {-0.15880801, 0, 1.95459769});
  expect("erf/3", x, {-0.84270079, 0, 0.99532227});
  expect("swish/3_a1", x, {-0.26894142, 0, 1.76159416});
  expect("hardswish/3", x, {-1.0 / 3, 0, 5.0 / 3});
  expect("softplus/3", x, {0.31326169, 0.69314718, 2.12692801});
  expect("mish/3", x, {-0.30340146, 0, 1.94395900});
  expect("softsign/3", x, {-0.5, 0, 2.0 / 3});
  expect("pow/3_a2", x, {1, 0, 4});
  expect("sign/3", x, {-1, 0, 1});
  expect("round/4", {{-0.5, 0.5, 1.5, 2.4F}}, {0, 0, 2, 2});
}

TEST(ReferenceBinary, ComparisonsGiveOneOrZero) {
  const std::vector<std::vector<float>> ab{{1, 2, 3}, {2, 2, 2}};
  expect("eq/3_3", ab, {0, 1, 0});
  expect("ne/3_3", ab, {1, 0, 1});
  expect("lt/3_3", ab, {1, 0, 0});
  expect("le/3_3", ab, {1, 1, 0});
  expect("gt/3_3", ab, {0, 0, 1});
  expect("ge/3_3", ab, {0, 1, 1});
  expect("power/3_3", ab, {1, 4, 9});
}

TEST(ReferenceReduction, NormsAndProducts) {
  const std::vector<std::vector<float>> x{{3, -4, 1, 2}};
  expect("reducemin/2x2_a1", x, {-4, 1});
  expect("reduceprod/2x2_a1", x, {-12, 2});
  expect("reducel1/2x2_a1", x, {7, 3});
  expect("reducel2/2x2_a1", x, {5, std::sqrt(5.0)});
  expect("reducesumsquare/2x2_a0", x, {10, 20});
}

}  // namespace
}  // namespace benanza::verify
