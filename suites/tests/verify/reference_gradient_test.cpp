// The references of gradients against finite differences of the forward references, and small ones
// against results by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "suites/verify/comparison.h"
#include "suites/verify/inputs.h"
#include "suites/verify/reference.h"

namespace benanza::verify {
namespace {

using Values = std::vector<std::vector<float>>;

/// The sum of dy times the first `count` results of the forward call.
double weighted_sum(const Problem& forward, const Values& operands, const std::vector<float>& dy) {
  double sum = 0;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    sum += dy[i] * reference(forward, operands, static_cast<std::int64_t>(i));
  }
  return sum;
}

/// The derivative of weighted_sum() by one element of one operand.
double slope(const Problem& forward, Values operands, const std::vector<float>& dy,
             std::size_t operand, std::size_t element) {
  constexpr float step = 0x1p-7F;
  float& value = operands[operand][element];
  const float middle = value;
  value = middle + step;
  const double above = weighted_sum(forward, operands, dy);
  value = middle - step;
  return (above - weighted_sum(forward, operands, dy)) / (2 * static_cast<double>(step));
}

/// Values between -1 and 1 that avoid every function's kinks.
std::vector<float> smooth(std::int64_t count, int seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(1.7 * static_cast<double>(i) + seed + 0.3)));
  }
  return values;
}

Values smooth_inputs(const Problem& problem) {
  Values values;
  int seed = 0;
  for (const Operand& operand : inputs(problem)) {
    values.push_back(smooth(element_count(operand.dims), seed++));
    if (operand.domain != Domain::positive) continue;
    for (float& value : values.back()) value = 1.5F + value;
  }
  return values;
}

void expect_near_slopes(const Problem& forward, const Values& operands,
                        const std::vector<float>& dy, std::size_t operand, const Problem& gradient,
                        const Values& gradient_operands, std::int64_t begin) {
  const std::int64_t count = element_count(inputs(forward)[operand].dims);
  for (std::int64_t i = 0; i < count; ++i) {
    const double expected = slope(forward, operands, dy, operand, static_cast<std::size_t>(i));
    EXPECT_NEAR(reference(gradient, gradient_operands, begin + i), expected,
                2e-3 * (1 + std::abs(expected)))
        << key(gradient) << ' ' << i;
  }
}

class FunctionGradient : public testing::TestWithParam<const char*> {};

TEST_P(FunctionGradient, IsTheSlope) {
  const Problem forward = parse(GetParam());
  const auto& shape = std::get<Activation>(forward.shape);
  const Problem gradient{.shape = ActivationGradient{shape}, .epilogue = {}};
  const Values operands = smooth_inputs(forward);
  const std::vector<float> dy = smooth(element_count(shape.input), 5);
  std::vector<float> kept = operands[0];
  if (ActivationGradient{shape}.of_result()) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = static_cast<float>(reference(forward, operands, static_cast<std::int64_t>(i)));
    }
  }
  expect_near_slopes(forward, operands, dy, 0, gradient, {dy, kept}, 0);
}

INSTANTIATE_TEST_SUITE_P(Functions, FunctionGradient,
                         testing::Values("relu/9", "leakyrelu/9_a0.1", "leakyrelu/9_a-0.5",
                                         "clip/9_a-0.5_b0.25", "elu/9_a0.5", "elu/9_a-0.5",
                                         "sigmoid/9", "tanh/9", "gelu/9", "gelutanh/9", "erf/9",
                                         "hardswish/9", "softplus/9", "softsign/9", "mish/9",
                                         "swish/9_a1.5", "exp/9", "log/9", "sqrt/9", "pow/9_a3",
                                         "abs/9", "sin/9", "cos/9"));

// t = tanh(-0.8336) = -0.6824, of an argument whose error is as large as its value: 0.6824 + 0.5344
// * 0.8336 = 1.1278. 1 - t^2 does not cancel there, 1 + 2 * 0.6824 * 1.1278 = 2.539, and is
// multiplied by 0.4524: (0.5 + 0.5 * 1.1278 + 0.3412) + (0.4524 * 2.539 + 0.5344 * 0.4524) = 2.796.
// cuDNN 9.14's error here is 1.59e-6; tanh of 11 bits would have an error of 4e-5.
TEST(FunctionGradientRounding, OfTanhIsThatOfWhatCancels) {
  const Problem problem = parse("gelutanh_bwd/1");
  const Element of_gelu = reference_element(problem, Values{{0.875F}, {-1}}, 0);
  EXPECT_NEAR(of_gelu.value, -0.07259357, 1e-8);
  EXPECT_NEAR(of_gelu.magnitude, 0.875 * 2.796, 1e-3);
  EXPECT_EQ(of_gelu.carried, 0);
  EXPECT_GT(tolerance(Precision::fp32, of_gelu, 1), 1.6e-6);
  EXPECT_LT(tolerance(Precision::fp32, of_gelu, 1), 4e-6);
  // 1 - tanh(4.018)^2 = 0.0013 is multiplied by x * sigmoid = 3.928. The error is 7.2e-7.
  const Element of_mish = reference_element(parse("mish_bwd/1"), Values{{0.125F}, {4}}, 0);
  EXPECT_NEAR(of_mish.value, 0.1255541, 1e-7);
  EXPECT_NEAR(of_mish.magnitude, 0.125 * (1.0058 + 3.928 * 3.0104 + 0.0013 * 8.14), 2e-3);
  EXPECT_GT(tolerance(Precision::fp32, of_mish, 1), 8e-7);
  EXPECT_LT(tolerance(Precision::fp32, of_mish, 1), 4e-6);
}

// cuDNN 9.14 returns 0.8411938 for 0.841192; half of a tanh with an error of 2^-12 would be 1.2e-4
// off.
TEST(FunctionRounding, OfGeneratedTanh) {
  const Element at_one = reference_element(parse("gelutanh/1"), Values{{1}}, 0);
  EXPECT_NEAR(at_one.value, 0.841192, 1e-7);
  EXPECT_NEAR(at_one.magnitude, (1 + 8 * 0.682384) / 2, 1e-5);
  EXPECT_GT(tolerance(Precision::fp32, at_one, 1), 1.8e-6);
  EXPECT_LT(tolerance(Precision::fp32, at_one, 1), 4e-6);
}

TEST(SoftmaxGradient, IsTheSlope) {
  for (const char* key : {"softmax/2x3x4_a1", "logsoftmax/2x3x4_a2"}) {
    const Problem forward = parse(key);
    const Values operands = smooth_inputs(forward);
    const std::vector<float> dy = smooth(24, 5);
    std::vector<float> y;
    for (int i = 0; i < 24; ++i) y.push_back(static_cast<float>(reference(forward, operands, i)));
    const Problem gradient{.shape = SoftmaxGradient{std::get<Softmax>(forward.shape)},
                           .epilogue = {}};
    expect_near_slopes(forward, operands, dy, 0, gradient, {dy, y}, 0);
  }
}

TEST(PoolingGradient, IsTheSlope) {
  for (const char* key : {"maxpool/1x2x5x4_k3x2_p1.1.0.1_s2x1_d1x1",
                          "avgpool/1x2x5x4_k3x2_p1.1.0.1_s2x1_d1x1_exclude",
                          "avgpool/1x2x5x4_k3x2_p1.1.0.1_s2x1_d1x1_include"}) {
    const Problem forward = parse(key);
    const auto& shape = std::get<Pooling>(forward.shape);
    const Values operands = smooth_inputs(forward);
    const std::vector<float> dy = smooth(element_count(output(forward)), 5);
    Values gradient_operands{dy};
    if (shape.mode == PoolingMode::max) gradient_operands.push_back(operands[0]);
    expect_near_slopes(forward, operands, dy, 0, {PoolingGradient{shape}, {}}, gradient_operands,
                       0);
  }
}

TEST(ConvolutionGradients, AreTheSlopes) {
  const Problem forward = parse("conv/2x4x5x4_k6x3x2_p1.0.2.1_s2x1_d1x2_g2");
  const auto& shape = std::get<Convolution>(forward.shape);
  const Values operands = smooth_inputs(forward);
  const std::vector<float> dy = smooth(element_count(output(forward)), 5);
  expect_near_slopes(forward, operands, dy, 1, {ConvolutionFilterGradient{shape}, {}},
                     {operands[0], dy}, 0);
  const Problem with_bias{.shape = ConvolutionFilterGradient{shape, true}, .epilogue = {}};
  const std::int64_t weights = element_count(inputs(forward)[1].dims);
  expect_near_slopes(forward, operands, dy, 1, with_bias, {operands[0], dy}, 0);
  // A bias' gradient is the sum of its filter's output gradients: for filter 5, in two images.
  double sum = 0;
  const std::size_t pixels = dy.size() / 12;
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    sum += dy[5 * pixels + pixel] + dy[11 * pixels + pixel];
  }
  EXPECT_NEAR(reference(with_bias, {{operands[0], dy}}, weights + 5), sum, 1e-6);
}

/// Slopes by x, scale and bias; the gradient also reads the statistics of x.
TEST(BatchNormalizationGradient, IsTheSlope) {
  const Problem forward = parse("batchnorm_training/2x3x2x2_e0.1");
  const Problem gradient = parse("batchnorm_bwd/2x3x2x2_e0.1");
  const Values operands = smooth_inputs(forward);
  const std::vector<float> dy = smooth(24, 5);
  Values gradient_operands{dy, operands[0], operands[1], {}, {}};
  for (int channel = 0; channel < 3; ++channel) {
    for (const int part : {0, 1}) {
      gradient_operands[static_cast<std::size_t>(3 + part)].push_back(
          static_cast<float>(reference(forward, operands, 24 + 3 * part + channel)));
    }
  }
  expect_near_slopes(forward, operands, dy, 0, gradient, gradient_operands, 0);
  expect_near_slopes(forward, operands, dy, 1, gradient, gradient_operands, 24);
  expect_near_slopes(forward, operands, dy, 2, gradient, gradient_operands, 27);
}

TEST(LayerNormalizationGradient, IsTheSlope) {
  for (const char* key : {"layernorm/3x4_e0.1_sb", "rmsnorm/3x4_e0.1_s"}) {
    const Problem forward = parse(key);
    const auto& shape = std::get<LayerNormalization>(forward.shape);
    const Values operands = smooth_inputs(forward);
    const std::vector<float> dy = smooth(12, 5);
    std::vector<float> means;
    std::vector<float> variances;
    for (std::size_t row = 0; row < 3; ++row) {
      double mean = 0;
      double squares = 0;
      for (std::size_t i = 4 * row; i < 4 * row + 4; ++i) {
        mean += operands[0][i] / 4.0;
        squares += static_cast<double>(operands[0][i]) * operands[0][i] / 4;
      }
      means.push_back(static_cast<float>(mean));
      variances.push_back(
          static_cast<float>(shape.root_mean_square ? squares : squares - mean * mean));
    }
    Values gradient_operands{dy, operands[0], operands[1]};
    if (!shape.root_mean_square) gradient_operands.push_back(means);
    gradient_operands.push_back(variances);
    const Problem gradient{.shape = LayerNormalizationGradient{shape}, .epilogue = {}};
    expect_near_slopes(forward, operands, dy, 0, gradient, gradient_operands, 0);
    expect_near_slopes(forward, operands, dy, 1, gradient, gradient_operands, 12);
    if (shape.bias) {
      expect_near_slopes(forward, operands, dy, 2, gradient, gradient_operands, 16);
    }
  }
}

TEST(AttentionGradient, IsTheSlope) {
  for (const char* fields : {"2x2x3x2_k2x4x3_s0.5", "1x4x3x2_k2x3x2_s0.5_causal",
                             "1x2x2x2_k1x5x2_s0.7_m1x2x1x5", "1x2x4x2_k1x4x2_s0.5_causal_w2"}) {
    const Problem forward = parse(std::string("attention/") + fields);
    const Problem gradient = parse(std::string("attention_bwd/") + fields);
    const auto& shape = std::get<Attention>(forward.shape);
    const Values operands = smooth_inputs(forward);
    const std::int64_t count = element_count(shape.output());
    const std::vector<float> dy = smooth(count, 5);
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i) {
      result.push_back(static_cast<float>(reference(forward, operands, i)));
    }
    // Of the sum of e^score, over the keys that a query sees.
    std::vector<float> logarithms;
    const auto group = shape.heads / shape.kv_heads;
    for (std::int64_t row = 0; row < shape.batch * shape.heads * shape.queries; ++row) {
      const std::int64_t query = row % shape.queries;
      const std::int64_t head = row / shape.queries % shape.heads;
      const std::int64_t image = row / shape.queries / shape.heads;
      double sum = 0;
      const std::int64_t first = shape.window > 0 ? std::max(0L, query + 1 - shape.window) : 0;
      for (std::int64_t key = first; key < (shape.causal ? query + 1 : shape.keys); ++key) {
        double score = 0;
        for (std::int64_t i = 0; i < shape.size; ++i) {
          const auto k = ((image * shape.kv_heads + head / group) * shape.keys + key) * shape.size;
          score +=
              static_cast<double>(operands[0][static_cast<std::size_t>(row * shape.size + i)]) *
              operands[1][static_cast<std::size_t>(k + i)];
        }
        score *= static_cast<double>(shape.scale);
        if (!shape.mask.empty()) {
          score += operands[3][static_cast<std::size_t>(head * shape.keys + key)];
        }
        sum += std::exp(score);
      }
      logarithms.push_back(static_cast<float>(std::log(sum)));
    }
    Values kept{dy, operands[0], operands[1], operands[2], result, logarithms};
    if (!shape.mask.empty()) kept.push_back(operands[3]);
    std::int64_t begin = 0;
    for (std::size_t operand = 0; operand < 3; ++operand) {
      expect_near_slopes(forward, operands, dy, operand, gradient, kept, begin);
      begin += element_count(inputs(forward)[operand].dims);
    }
  }
}

// In fp8, P times a scale must stay below 448.
TEST(AttentionGradient, WeightsAreSomeTimesTheirMeanAtMost) {
  for (const char* const key : {"attention_bwd/1x8x256x128_k1x256x128_s0.088388346_causal",
                                "attention_bwd/1x8x256x128_k1x256x128_s0.088388346"}) {
    const Problem problem = parse(key);
    const auto& forward = std::get<AttentionGradient>(problem.shape).forward;
    const Values values = inputs_for(problem, Precision::fp8, 2020);
    double largest = 0;
    for (std::int64_t row = 0; row < forward.heads * forward.queries; ++row) {
      const std::int64_t seen = forward.causal ? row % forward.queries + 1 : forward.keys;
      for (std::int64_t at = 0; at < seen; ++at) {
        double score = 0;
        for (std::int64_t i = 0; i < forward.size; ++i) {
          score += static_cast<double>(
                       values[AttentionGradient::q][static_cast<std::size_t>(row * 128 + i)]) *
                   values[AttentionGradient::k][static_cast<std::size_t>(at * 128 + i)];
        }
        const double logarithm =
            values[AttentionGradient::logarithms][static_cast<std::size_t>(row)];
        largest =
            std::max(largest, std::exp(score * static_cast<double>(forward.scale) - logarithm));
      }
    }
    const double mean = 1.0 / static_cast<double>(forward.causal ? 8 : forward.keys);
    EXPECT_LT(largest, 28 * mean) << key;
    EXPECT_GT(largest, 4 * mean) << key;
  }
}

// Two keys of weights 1/4 and 3/4: dV is each weight times dO = 2. With values 4 and 8 and a result
// of 7, the scores' gradients are 1/4 (8 - 14) and 3/4 (16 - 14).
TEST(AttentionGradient, ByHand) {
  const float logarithm = std::log(4.0F);
  const Problem problem = parse("attention_bwd/1x1x1x1_k1x2x1_s0.5");
  const Values operands{{2}, {2}, {0, std::log(3.0F)}, {4, 8}, {7}, {logarithm}};
  const double expected[] = {0.5 * 1.5 * std::log(3.0), -1.5, 1.5, 0.5, 1.5};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(reference(problem, operands, i), expected[i], 1e-6) << i;
  }
  // The scores' gradients are stored before they are multiplied by 0 and ln 3, or by 2.
  EXPECT_NEAR(reference_element(problem, operands, 0).carried, 0.5 * 1.5 * std::log(3.0), 1e-6);
  // Without cancellation: 3/4 (16 + 14).
  EXPECT_NEAR(reference_element(problem, operands, 2).magnitude, 0.75 * 30, 1e-5);
}

// Mean 2 and variance 1; then 12 and 4.
TEST(BatchNormalizationTraining, ByHand) {
  const Problem problem = parse("batchnorm_training/2x2x1_e0");
  const Values operands{{1, 10, 3, 14}, {1, 2}, {0, 100}};
  const double expected[] = {-1, 98, 1, 102, 2, 12, 1, 4};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(reference(problem, operands, i), expected[i], 1e-9) << i;
}

TEST(PoolingGradient, InputsDifferInsideOfEveryWindow) {
  const Problem problem = parse("maxpool_bwd/1x2x7x9_k3x2_p1.1.0.1_s2x1_d1x1");
  const std::vector<float> x = inputs_for(problem, Precision::bf16, 7).at(1);
  for (int row = 0; row + 3 <= 7; ++row) {
    for (int column = 0; column + 2 <= 9; ++column) {
      std::set<float> seen;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 2; ++j) {
          seen.insert(x[static_cast<std::size_t>((row + i) * 9 + column + j)]);
        }
      }
      EXPECT_EQ(seen.size(), 6U) << row << ' ' << column;
    }
  }
}

}  // namespace
}  // namespace benanza::verify
