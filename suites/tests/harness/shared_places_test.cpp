#include "suites/harness/run/sequence.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace benanza::harness {
namespace {

class Places : public testing::Test {
 protected:
  HostAllocator host_;
  SharedPlaces places_{host_, 100};
};

TEST_F(Places, ACallReadsWhatThePreviousOneWrote) {
  places_.begin(parse("relu/1x8"));
  const std::byte* const of_model = places_.operand(0, 32, {});
  const std::byte* result = places_.result(0, 32, {});
  // The model's input is nobody's result.
  EXPECT_NE(of_model, result);
  for (int call = 0; call < 3; ++call) {
    places_.begin(parse("relu/1x8"));
    EXPECT_EQ(places_.operand(0, 32, {}), result);
    EXPECT_NE(places_.result(0, 32, {}), result);
    EXPECT_NE(places_.result(0, 32, {}), nullptr);
    EXPECT_NE(places_.result(0, 32, {}), of_model);
    result = places_.result(0, 32, {});
  }
}

TEST_F(Places, WeightsAreTheCallsOwn) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("gemm/m1_n2_k8_nn_w_bias"));
  EXPECT_EQ(places_.operand(0, 32, {}), places_.operand(0, 32, {}));
  EXPECT_NE(places_.operand(1, 64, {}), places_.operand(1, 64, {}));
  EXPECT_NE(places_.operand(2, 8, {}), places_.operand(2, 8, {}));
}

TEST_F(Places, TheSecondOperandIsWhatAnEarlierCallLeft) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("add/1x8_1x8"));
  const std::byte* const further = places_.operand(1, 32, {});
  EXPECT_EQ(places_.operand(1, 32, {}), further);
  EXPECT_NE(places_.operand(0, 32, {}), further);
  EXPECT_NE(places_.result(0, 32, {}), further);
}

TEST_F(Places, WhatDoesNotFitIsTheCallsOwn) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("relu/1x8"));
  EXPECT_NE(places_.operand(0, 101, {}), places_.operand(0, 101, {}));
  EXPECT_NE(places_.result(0, 101, {}), places_.result(0, 101, {}));
  // So are results after the first.
  EXPECT_NE(places_.result(1, 8, {}), places_.result(1, 8, {}));
}

TEST_F(Places, ScratchMemoryIsOneAndGrows) {
  std::byte* const small = places_.scratch(10);
  EXPECT_EQ(places_.scratch(8), small);
  std::byte* const large = places_.scratch(4096);
  large[4095] = std::byte{1};
  EXPECT_EQ(places_.scratch(10), large);
}

TEST(OwnOperands, HaveABlockEachAndNoScratchMemory) {
  HostAllocator host;
  OwnOperands operands(host);
  std::byte* const first = operands.operand(0, 64, {});
  std::byte* const second = operands.operand(1, 64, {});
  std::byte* const result = operands.result(0, 1, {});
  EXPECT_NE(first, second);
  EXPECT_NE(second, result);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(result) % 64, 0U);
  first[63] = std::byte{1};
  EXPECT_EQ(operands.scratch(64), nullptr);
  EXPECT_EQ(operands.operand(2, 0, {}), nullptr);
}

// 1x20x3x3 in blocks of 16 channels: 32 of them, of 8 bytes at most.
TEST(PlaceBytes, HoldTheLargestTensorOfAllCalls) {
  EXPECT_EQ(place_bytes(std::vector{parse("relu/1x8"), parse("relu/1x20x3x3")}), 32 * 9 * 8);
  // Weights need none.
  EXPECT_EQ(place_bytes(std::vector{parse("gemm/m1_n2_k8_nn_w")}), 8 * 8);
}

}  // namespace
}  // namespace benanza::harness
