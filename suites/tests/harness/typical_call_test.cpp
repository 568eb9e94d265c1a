// Values of a sequence's calls that stay in a usual range.
#include "suites/harness/run/typical_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace benanza::harness {
namespace {

/// A product of sums of `growth` equal terms: every result is growth * data * weights.
class Product : public Primitive {
 public:
  Product(float data, float growth, float largest)
      : data_(data), growth_(growth), largest_(largest) {}

  void upload(std::size_t index, std::span<const float> values) override {
    if (index == 1) weight_ = values[0];
    ++uploads_;
  }
  void poison_output() override {}
  void run() override {
    result_ = growth_ * data_ * weight_;
    if (result_ > largest_) result_ = std::numeric_limits<float>::infinity();
  }
  std::vector<float> download() override { return std::vector<float>(8, result_); }
  std::int64_t workspace_bytes() const override { return 0; }

  float weight() const { return weight_; }
  int uploads() const { return uploads_; }

 private:
  float data_;
  float growth_;
  float largest_;
  float weight_ = 0;
  float result_ = 0;
  int uploads_ = 0;
};

/// Keeps the values uploaded last.
class Uploads : public Primitive {
 public:
  void upload(std::size_t, std::span<const float> values) override {
    last.assign(values.begin(), values.end());
  }
  void poison_output() override {}
  void run() override {}
  std::vector<float> download() override { return {}; }
  std::int64_t workspace_bytes() const override { return 0; }

  std::vector<float> last;
};

struct Scaled {
  bool is_finite = false;
  float weight = 0;
  int uploads = 0;
};
Scaled scaled(std::string_view key, float data, float growth, Precision precision = Precision::fp32,
              float largest = std::numeric_limits<float>::max()) {
  auto product = std::make_unique<Product>(data, growth, largest);
  const Product& looked_at = *product;
  TypicalCall call(std::move(product), {parse(key), precision, Layout::plain, "any"});
  call.upload(0, std::vector<float>{data});
  call.upload(1, std::vector<float>{1.5F});
  const bool is_finite = call.scale();
  return {is_finite, looked_at.weight(), looked_at.uploads()};
}

constexpr const char* product = "gemm/m2_n4_k8_nn_w";

TEST(TypicalCall, WeightsAreScaledUntilTheResultIsUsual) {
  // 64 * 3 * 1.5 = 288, and 288 / 2^8 = 1.1.
  EXPECT_EQ(scaled(product, 3, 64).weight, 1.5F / 256);
  // 1.5 / 1024 = 2^-9.4, and 2^9 * that is 0.75.
  EXPECT_EQ(scaled(product, 1.0F / 1024, 1).weight, 1.5F * 512);
}

TEST(TypicalCall, UsualResultsStay) {
  const Scaled usual = scaled(product, 1, 2);
  EXPECT_TRUE(usual.is_finite);
  EXPECT_EQ(usual.weight, 1.5F);
  EXPECT_EQ(usual.uploads, 2);
}

TEST(TypicalCall, AnOverflowIsScaledDown) {
  // 1.5 * 65536 overflows at 65504; then 384, whose scale is 2^-9.
  const Scaled wide = scaled(product, 1, 65536, Precision::fp16, 65504);
  EXPECT_TRUE(wide.is_finite);
  EXPECT_EQ(wide.weight, 1.5F / 256 / 512);
}

TEST(TypicalCall, WhatHasNoWeightsIsOnlyLookedAt) {
  const Scaled sum = scaled("add/2x4_2x4", 3, 64);
  EXPECT_TRUE(sum.is_finite);
  EXPECT_EQ(sum.weight, 1.5F);
  EXPECT_FALSE(scaled("add/2x4_2x4", 1, 65536, Precision::fp16, 65504).is_finite);
  // At int8 the result has a scale of its own.
  EXPECT_EQ(scaled(product, 3, 64, Precision::int8).weight, 1.5F);
}

TEST(TypicalCall, AZeroStaysZero) { EXPECT_EQ(scaled(product, 0, 1).weight, 1.5F); }

/// What use_all_bits() uploads for 4,096 values of 1 each.
std::vector<float> with_all_bits(std::string_view key, std::size_t index, Precision precision) {
  auto made = std::make_unique<Uploads>();
  const Uploads& uploads = *made;
  TypicalCall call(std::move(made), {parse(key), precision, Layout::plain, "any"});
  call.upload(index, std::vector<float>(4096, 1));
  call.use_all_bits();
  call.use_all_bits();
  return uploads.last;
}

TEST(TypicalCall, ValuesGetAllBitsOnce) {
  const std::vector<float> values = with_all_bits("gemm/m64_n4_k64_nn_w", 0, Precision::fp16);
  ASSERT_EQ(values.size(), 4096);
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GT(least, 15.0F / 16 - 1e-6F);
  EXPECT_LE(most, 1);
  EXPECT_EQ(std::set<float>(values.begin(), values.end()).size(), 4096);
  // Half of the values have a 0 in the last bit of fp16, whose step below 1 is 2^-11.
  const auto is_even = [](float value) { return std::lround(value * 0x1p11F) % 2 == 0; };
  EXPECT_NEAR(std::ranges::count_if(values, is_even), 2048, 100);
}

TEST(TypicalCall, TruthValuesAndIntegersStay) {
  const std::vector<float> ones(4096, 1);
  EXPECT_EQ(with_all_bits("select/1x1x64x64_a1x1x64x64_b1x1x64x64", 0, Precision::fp16), ones);
  EXPECT_EQ(with_all_bits("gemm/m64_n4_k64_nn_w", 0, Precision::int8), ones);
}

}  // namespace
}  // namespace benanza::harness
