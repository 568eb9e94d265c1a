// Closed forms against enumeration.
#include "core/problem/least_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <utility>

namespace benanza {

void PrintTo(const Axis& axis, std::ostream* out) {
  *out << axis.inputs << " inputs, " << axis.outputs << " outputs, kernel " << axis.kernel
       << ", stride " << axis.stride << ", dilation " << axis.dilation << ", pad " << axis.pad;
}

namespace {

/// Everything about an axis, from one product after the other.
struct Counted {
  std::int64_t all = 0;
  std::int64_t least = 0;
  std::int64_t touched = 0;
  std::int64_t taps = 0;
};

Counted counted(const Axis& axis) {
  /// The outputs, taps and inputs of one independent sum.
  struct Sum {
    std::set<std::int64_t> outputs, taps, inputs;
  };
  const std::int64_t common = std::gcd(axis.stride, axis.dilation);
  std::map<std::pair<std::int64_t, std::int64_t>, Sum> sums;
  Counted counted;
  std::set<std::int64_t> taps;
  for (std::int64_t output = 0; output < axis.outputs; ++output) {
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
      const std::int64_t input = output * axis.stride - axis.pad + tap * axis.dilation;
      if (input < 0 || input >= axis.inputs) continue;
      Sum& sum = sums[{output % (axis.dilation / common), tap % (axis.stride / common)}];
      sum.outputs.insert(output);
      sum.taps.insert(tap);
      sum.inputs.insert(input);
      taps.insert(tap);
      ++counted.all;
    }
  }
  std::set<std::int64_t> touched;
  for (const auto& [place, sum] : sums) {
    const std::int64_t m = std::ssize(sum.outputs);
    const std::int64_t r = std::ssize(sum.taps);
    const std::int64_t n = std::ssize(sum.inputs);
    counted.least += std::min({m + r - 1, n + r - 1, m + n - 1});
    // The sums share no input.
    for (const std::int64_t input : sum.inputs) EXPECT_TRUE(touched.insert(input).second);
  }
  counted.touched = std::ssize(touched);
  counted.taps = std::ssize(taps);
  return counted;
}

void expect_counted(const Axis& axis) {
  const Counted expected = counted(axis);
  EXPECT_EQ(all_products(axis), expected.all) << testing::PrintToString(axis);
  EXPECT_EQ(least_products(axis), expected.least) << testing::PrintToString(axis);
  EXPECT_EQ(touched_inputs(axis), expected.touched) << testing::PrintToString(axis);
  EXPECT_EQ(touched_taps(axis), expected.taps) << testing::PrintToString(axis);
  EXPECT_LE(expected.least, expected.all) << testing::PrintToString(axis);
}

TEST(Polyphase, IsWhatEnumerationCountsForEverySmallAxis) {
  for (std::int64_t inputs = 1; inputs < 9; ++inputs) {
    for (std::int64_t outputs = 1; outputs < 6; ++outputs) {
      for (std::int64_t kernel = 1; kernel < 5; ++kernel) {
        for (std::int64_t stride = 1; stride < 5; ++stride) {
          for (std::int64_t dilation = 1; dilation < 5; ++dilation) {
            for (std::int64_t pad = -2; pad < 4; ++pad) {
              expect_counted({inputs, outputs, kernel, stride, dilation, pad});
            }
          }
        }
      }
    }
  }
}

TEST(Polyphase, IsWhatEnumerationCountsForLargerOnes) {
  std::mt19937 random(1);
  const auto upto = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int turn = 0; turn < 500; ++turn) {
    expect_counted(
        {upto(1, 300), upto(1, 80), upto(1, 50), upto(1, 24), upto(1, 24), upto(-20, 60)});
  }
}

// The largest numbers that a key may hold: nothing is stepped through, nothing overflows.
TEST(Polyphase, OfTheLargestAxes) {
  constexpr std::int64_t word = (std::int64_t{1} << 31) - 1;
  constexpr std::int64_t most = std::int64_t{1} << 48;
  const Axis plain{.inputs = most, .outputs = most - word + 1, .kernel = word};
  EXPECT_EQ(least_products(plain), static_cast<double>(most));
  EXPECT_EQ(touched_inputs(plain), static_cast<double>(most));
  EXPECT_EQ(all_products(plain), static_cast<double>(most - word + 1) * static_cast<double>(word));
  std::mt19937 random(1);
  const auto upto = [&](std::int64_t least, std::int64_t largest) {
    return std::uniform_int_distribution<std::int64_t>(least, largest)(random);
  };
  for (int turn = 0; turn < 2000; ++turn) {
    const Axis axis{upto(1, most), upto(1, most), upto(1, word),
                    upto(1, word), upto(1, word), upto(-word, word)};
    EXPECT_GE(least_products(axis), touched_inputs(axis)) << testing::PrintToString(axis);
    EXPECT_GE(all_products(axis), least_products(axis)) << testing::PrintToString(axis);
    EXPECT_LE(touched_inputs(axis), static_cast<double>(axis.inputs));
  }
}

}  // namespace
}  // namespace benanza
