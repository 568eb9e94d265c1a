// Damaged keys: each is refused in one line, or it is a problem like any other.
#include <gmock/gmock.h>

#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>

#include "core/problem/least_work.h"
#include "core/tests/mutate.h"
#include "core/tests/problem/keys.h"

namespace benanza {
namespace {

using test::keys_of_every_operator;
using testing::HasSubstr;

void expect_sound(const Problem& problem, const std::string& text) {
  EXPECT_EQ(key(problem), text);
  EXPECT_EQ(parse(key(problem)), problem) << text;
  for (const Precision precision : {Precision::fp32, Precision::int8}) {
    const Work done = work(problem, precision);
    EXPECT_TRUE(std::isfinite(done.flops) && done.flops >= 0) << text;
    EXPECT_GT(done.bytes_read, 0) << text;
    EXPECT_GT(done.bytes_written, 0) << text;
    EXPECT_GE(least_read_bytes(problem, precision), 0) << text;
    EXPECT_GE(least_bytes(problem, precision), least_read_bytes(problem, precision)) << text;
    EXPECT_LE(in_place_bytes(problem, precision), least_read_bytes(problem, precision)) << text;
  }
  EXPECT_GE(least_flops(problem), 0) << text;
  EXPECT_LE(least_flops(problem), direct_flops(problem) * (1 + 1e-12)) << text;
  EXPECT_LE(direct_flops(problem), product_flops(problem) * (1 + 1e-12)) << text;
  EXPECT_GE(reduction_length(problem), 1) << text;
  for (const Dims& result : results(problem)) EXPECT_GT(element_count(result), 0) << text;
}

/// True if it is accepted.
bool expect_refused_or_sound(const std::string& text) {
  try {
    expect_sound(parse(text), text);
    return true;
  } catch (const std::invalid_argument& refusal) {
    // Up to a byte that is 0.
    EXPECT_THAT(refusal.what(), HasSubstr("\"" + std::string(text.c_str()))) << text;
    return false;
  }
}

TEST(MutatedKey, IsRefusedOrSound) {
  test::Mutator mutator(1);
  std::size_t accepted = 0;
  for (const std::string key : keys_of_every_operator) {
    for (int turn = 0; turn < 150; ++turn) {
      accepted +=
          expect_refused_or_sound(mutator.changed(key, mutator.any_of(keys_of_every_operator)));
    }
  }
  EXPECT_GT(accepted, 500U) << "the changes are so large that nothing is tested";
}

// Every number of every key by every extreme one, sooner or later.
TEST(MutatedKey, WithExtremeNumbersIsRefusedOrSound) {
  test::Mutator mutator(2);
  for (const std::string key : keys_of_every_operator) {
    EXPECT_TRUE(expect_refused_or_sound(key));
    for (int turn = 0; turn < 300; ++turn) {
      std::string text = mutator.with_extreme_number(key);
      if (mutator.below(2) == 0) text = mutator.with_extreme_number(text);
      expect_refused_or_sound(text);
    }
  }
}

TEST(MutatedKey, CutShortIsRefusedOrSound) {
  for (const std::string key : keys_of_every_operator) {
    for (std::size_t size = 0; size < key.size(); ++size) {
      expect_refused_or_sound(key.substr(0, size));
    }
  }
}

TEST(MutatedKey, OfManyAxesIsRefusedOrSound) {
  std::string ones = "1";
  for (int axis = 1; axis < 62; ++axis) ones += "x1";
  for (const std::string& key :
       {"relu/" + ones, "resample/1x1x" + ones + "_o" + ones + "_linear",
        "resample/1x1x" + ones + "_o" + ones + "_nearest", "add/" + ones + '_' + ones,
        "gemm/m1_n1_k1_nn_a" + ones + "_b" + ones, "softmax/" + ones + "_a61"}) {
    EXPECT_TRUE(expect_refused_or_sound(key));
  }
  for (int axis = 0; axis < 100; ++axis) ones += "x1";
  EXPECT_FALSE(expect_refused_or_sound("relu/" + ones));
}

}  // namespace
}  // namespace benanza
