// Products in a shorter type than requested, and fp32 sums in the orders of real libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "suites/tests/verify/reference_primitive.h"
#include "suites/verify/verify.h"

namespace benanza::verify {
namespace {

/// Rounds the operands to `bits` bits: 11 for TF32, 8 for bf16, 24 for no rounding.
class ShortOperands : public ReferencePrimitive {
 public:
  ShortOperands(const Problem& problem, int bits)
      : ReferencePrimitive(problem, Precision::fp32), bits_(bits) {}
  void upload(std::size_t index, std::span<const float> values) override {
    std::vector<float> rounded(values.begin(), values.end());
    for (float& value : rounded) value = rounded_to_bits(value, bits_);
    ReferencePrimitive::upload(index, rounded);
  }

 private:
  int bits_;
};

VerificationResult verified(const char* key, int bits) {
  const Problem problem = parse(key);
  ShortOperands primitive(problem, bits);
  VerificationCase cache;
  return verify(primitive, problem, Precision::fp32, cache);
}

TEST(RoundedToBits, KeepsThatManyBits) {
  EXPECT_EQ(rounded_to_bits(1 + 0x1p-10F, 11), 1 + 0x1p-10F);
  EXPECT_EQ(rounded_to_bits(1 + 0x1p-12F, 11), 1);
  EXPECT_EQ(rounded_to_bits(-3 - 0x1p-8F, 8), -3);
  EXPECT_EQ(rounded_to_bits(0.1F, 24), 0.1F);
}

TEST(ShorterProducts, AreFoundWhereFp32WasAsked) {
  for (const char* key :
       {"conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8",
        "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu",
        "conv/1x64x8x8_k64x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu",
        "conv/1x64x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_sigmoid",
        "deconv/1x16x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_bias", "gemm/m5_n7_k7_nt",
        "gemm/m5_n9_k64_nt_w_bias_gelu", "gemm/m2_n8_k9216_nt_w_bias", "gemm/m3_n2_k250000_nn",
        "attention/1x2x8x4_k2x8x4_s0.5", "attention/1x2x64x64_k2x64x64_s0.125_causal",
        "lstm/t4_n2_i5_h6_l1_forward_bias", "gru/t4_n2_i5_h6_l1_forward_lbr_bias_initial",
        "rnntanh/t2_n2_i256_h256_l1_forward_bias", "lstm/t8_n1_i256_h256_l1_forward_initial",
        "lstm_bwd/t4_n3_i5_h6_l1_forward_bias", "gru_bwd_data/t4_n2_i5_h64_l1_forward_lbr_initial",
        "rnnrelu_bwd_weights/t4_n9_i25_h16_l1_forward_bias"}) {
    const VerificationResult single = verified(key, 24);
    EXPECT_TRUE(single.ok) << key << ": " << single.message;
    EXPECT_FALSE(verified(key, 11).ok) << key << " in TF32";
    EXPECT_FALSE(verified(key, 8).ok) << key << " in bf16";
  }
}

TEST(ShorterProducts, OfTf32AreRightWhereTf32WasAsked) {
  for (const char* key : {"gemm/m5_n9_k64_nt_w", "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1"}) {
    const Problem problem = parse(key);
    ShortOperands primitive(problem, 11);
    VerificationCase cache;
    EXPECT_TRUE(verify(primitive, problem, Precision::tf32, cache).ok) << key;
  }
}

/// A product of an m x k and a k x n matrix, summed in fp32 by `sum`.
class FloatGemm : public ReferencePrimitive {
 public:
  using Sum = std::function<float(const std::vector<float>&)>;
  FloatGemm(const Gemm& shape, Sum sum)
      : ReferencePrimitive({shape, {}}, Precision::fp32), shape_(shape), sum_(std::move(sum)) {}
  void upload(std::size_t index, std::span<const float> values) override {
    operands_[index].assign(values.begin(), values.end());
  }
  void run() override {
    std::vector<float> terms(static_cast<std::size_t>(shape_.k));
    for (std::int64_t row = 0; row < shape_.m; ++row) {
      for (std::int64_t column = 0; column < shape_.n; ++column) {
        for (std::int64_t i = 0; i < shape_.k; ++i) {
          terms[static_cast<std::size_t>(i)] =
              operands_[0][static_cast<std::size_t>(row * shape_.k + i)] *
              operands_[1][static_cast<std::size_t>(i * shape_.n + column)];
        }
        result_[static_cast<std::size_t>(row * shape_.n + column)] = sum_(terms);
      }
    }
  }

 private:
  Gemm shape_;
  Sum sum_;
  std::vector<float> operands_[2];
};

float forwards(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

float backwards(const std::vector<float>& terms) {
  return forwards({terms.rbegin(), terms.rend()});
}

float by_magnitude(const std::vector<float>& terms) {
  std::vector<float> sorted = terms;
  std::sort(sorted.begin(), sorted.end(),
            [](float a, float b) { return std::abs(a) > std::abs(b); });
  return forwards(sorted);
}

float in_lanes(const std::vector<float>& terms) {
  std::vector<float> lanes(16);
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % lanes.size()] += terms[i];
  return forwards(lanes);
}

TEST(Fp32Products, AreRightInEveryOrderOfSummation) {
  for (const char* key :
       {"gemm/m9_n7_k7_nn", "gemm/m9_n7_k100_nn", "gemm/m4_n8_k9216_nn", "gemm/m2_n3_k250000_nn"}) {
    const Problem problem = parse(key);
    VerificationCase cache;
    for (const auto& order : {forwards, backwards, by_magnitude, in_lanes}) {
      FloatGemm primitive(std::get<Gemm>(problem.shape), order);
      const VerificationResult result = verify(primitive, problem, Precision::fp32, cache);
      EXPECT_TRUE(result.ok) << key << ": " << result.message;
    }
  }
}

/// Attention of one head in fp32, with all sums from first to last term.
class FloatAttention : public ReferencePrimitive {
 public:
  explicit FloatAttention(const Attention& shape)
      : ReferencePrimitive({shape, {}}, Precision::fp32), shape_(shape) {}
  void upload(std::size_t index, std::span<const float> values) override {
    operands_[index].assign(values.begin(), values.end());
  }
  void run() override {
    const auto at = [](std::int64_t row, std::int64_t length, std::int64_t column) {
      return static_cast<std::size_t>(row * length + column);
    };
    for (std::int64_t query = 0; query < shape_.queries; ++query) {
      std::vector<float> weights;
      for (std::int64_t key = 0; key < shape_.keys; ++key) {
        float score = 0;
        for (std::int64_t i = 0; i < shape_.size; ++i) {
          score += operands_[0][at(query, shape_.size, i)] * operands_[1][at(key, shape_.size, i)];
        }
        weights.push_back(score * shape_.scale);
      }
      const float largest = *std::max_element(weights.begin(), weights.end());
      for (float& weight : weights) weight = std::exp(weight - largest);
      const float sum = forwards(weights);
      for (std::int64_t i = 0; i < shape_.value_size; ++i) {
        float value = 0;
        for (std::int64_t key = 0; key < shape_.keys; ++key) {
          value +=
              weights[static_cast<std::size_t>(key)] * operands_[2][at(key, shape_.value_size, i)];
        }
        result_[at(query, shape_.value_size, i)] = value / sum;
      }
    }
  }

 private:
  Attention shape_;
  std::vector<float> operands_[3];
};

TEST(Fp32Products, OfAttentionAreRight) {
  for (const char* key :
       {"attention/1x1x32x64_k1x128x64_s0.125", "attention/1x1x32x128_k1x64x128_s0.088388"}) {
    const Problem problem = parse(key);
    FloatAttention primitive(std::get<Attention>(problem.shape));
    VerificationCase cache;
    const VerificationResult result = verify(primitive, problem, Precision::fp32, cache);
    EXPECT_TRUE(result.ok) << key << ": " << result.message;
  }
}

/// Winograd's F(4, 3) in fp32: four outputs of a row from six inputs, with a pad of one.
class FloatWinograd : public ReferencePrimitive {
 public:
  explicit FloatWinograd(const Convolution& shape)
      : ReferencePrimitive({shape, {}}, Precision::fp32), shape_(shape) {}
  void upload(std::size_t index, std::span<const float> values) override {
    operands_[index].assign(values.begin(), values.end());
  }
  void run() override {
    const std::int64_t width = shape_.input[2];
    for (std::int64_t filter = 0; filter < shape_.filters; ++filter) {
      for (std::int64_t tile = 0; tile < width; tile += 4) {
        float products[6] = {};
        for (std::int64_t channel = 0; channel < shape_.input[1]; ++channel) {
          add_products(channel, filter, tile, products);
        }
        const auto& [a, b, c, d, e, f] = products;
        float* to = result_.data() + filter * width + tile;
        to[0] = a + b + c + d + e;
        to[1] = b - c + 2 * d - 2 * e;
        to[2] = b + c + 4 * d + 4 * e;
        to[3] = b - c + 8 * d - 8 * e + f;
      }
    }
  }

 private:
  void add_products(std::int64_t channel, std::int64_t filter, std::int64_t tile,
                    float (&sums)[6]) const {
    const std::int64_t width = shape_.input[2];
    float x[6];
    for (std::int64_t i = 0; i < 6; ++i) {
      const std::int64_t at = tile + i - 1;
      x[i] =
          at < 0 || at >= width ? 0 : operands_[0][static_cast<std::size_t>(channel * width + at)];
    }
    const float* w = operands_[1].data() + (filter * shape_.input[1] + channel) * 3;
    sums[0] += (4 * x[0] - 5 * x[2] + x[4]) * (w[0] / 4);
    sums[1] += (-4 * x[1] - 4 * x[2] + x[3] + x[4]) * (-(w[0] + w[1] + w[2]) / 6);
    sums[2] += (4 * x[1] - 4 * x[2] - x[3] + x[4]) * (-(w[0] - w[1] + w[2]) / 6);
    sums[3] += (-2 * x[1] - x[2] + 2 * x[3] + x[4]) * (w[0] / 24 + w[1] / 12 + w[2] / 6);
    sums[4] += (2 * x[1] - x[2] - 2 * x[3] + x[4]) * (w[0] / 24 - w[1] / 12 + w[2] / 6);
    sums[5] += (4 * x[1] - 5 * x[3] + x[5]) * w[2];
  }

  Convolution shape_;
  std::vector<float> operands_[2];
};

TEST(Fp32Products, OfWinogradAreRight) {
  for (const char* key : {"conv/1x1x64_k32x3_p1.1_s1_d1_g1", "conv/1x16x64_k8x3_p1.1_s1_d1_g1",
                          "conv/1x512x16_k8x3_p1.1_s1_d1_g1"}) {
    const Problem problem = parse(key);
    FloatWinograd primitive(std::get<Convolution>(problem.shape));
    VerificationCase cache;
    const VerificationResult result =
        verify(primitive, problem, Precision::fp32, cache, {.transforms = true});
    EXPECT_TRUE(result.ok) << key << ": " << result.message;
  }
}

}  // namespace
}  // namespace benanza::verify
