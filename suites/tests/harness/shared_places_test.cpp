#include "suites/harness/shared_places.h"

#include <gtest/gtest.h>

#include <vector>

#include "suites/harness/host_places.h"

namespace benanza::harness {
namespace {

class Places : public testing::Test {
 protected:
  std::vector<std::byte> one_ = std::vector<std::byte>(100);
  std::vector<std::byte> two_ = std::vector<std::byte>(100);
  std::vector<std::byte> further_ = std::vector<std::byte>(100);
  std::vector<std::byte> scratch_ = std::vector<std::byte>(10);
  SharedPlaces places_{{one_, two_, further_}, scratch_};
};

TEST_F(Places, ACallReadsWhatThePreviousOneWrote) {
  places_.begin(parse("relu/1x8"));
  // The model's input is nobody's result.
  EXPECT_EQ(places_.operand(0, 32), nullptr);
  const std::byte* result = places_.result(32);
  for (int call = 0; call < 3; ++call) {
    places_.begin(parse("relu/1x8"));
    EXPECT_EQ(places_.operand(0, 32), result);
    EXPECT_NE(places_.result(32), result);
    EXPECT_NE(places_.result(32), nullptr);
    result = places_.result(32);
  }
}

TEST_F(Places, WeightsAreTheCallsOwn) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("gemm/m1_n2_k8_nn_w_bias"));
  EXPECT_NE(places_.operand(0, 32), nullptr);
  EXPECT_EQ(places_.operand(1, 64), nullptr);
  EXPECT_EQ(places_.operand(2, 8), nullptr);
}

TEST_F(Places, TheSecondOperandIsWhatAnEarlierCallLeft) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("add/1x8_1x8"));
  EXPECT_EQ(places_.operand(1, 32), further_.data());
  EXPECT_NE(places_.operand(0, 32), further_.data());
  EXPECT_NE(places_.result(32), further_.data());
}

TEST_F(Places, WhatDoesNotFitIsTheCallsOwn) {
  places_.begin(parse("relu/1x8"));
  places_.begin(parse("relu/1x8"));
  EXPECT_EQ(places_.operand(0, 101), nullptr);
  EXPECT_EQ(places_.result(101), nullptr);
  EXPECT_EQ(places_.scratch(11), nullptr);
  EXPECT_EQ(places_.scratch(10), scratch_.data());
}

// 1x20x3x3 in blocks of 16 channels: 32 of them, of 8 bytes at most.
TEST(PlaceBytes, HoldTheLargestTensorOfAllCalls) {
  EXPECT_EQ(place_bytes(std::vector{parse("relu/1x8"), parse("relu/1x20x3x3")}), 32 * 9 * 8);
  // Weights need none.
  EXPECT_EQ(place_bytes(std::vector{parse("gemm/m1_n2_k8_nn_w")}), 8 * 8);
}

TEST(HostPlaces, AreMemoryOfTheirOwn) {
  const HostPlaces host(4096);
  SharedPlaces places = host.places();
  places.begin(parse("relu/1x8"));
  places.result(4096)[4095] = std::byte{1};
  EXPECT_EQ(places.result(4097), nullptr);
  places.scratch(4 * 4096)[4 * 4096 - 1] = std::byte{1};
  places.begin(parse("relu/1x8"));
  EXPECT_EQ(places.operand(0, 4096)[4095], std::byte{1});
}

}  // namespace
}  // namespace benanza::harness
