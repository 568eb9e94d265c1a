#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "suites/verify/reference.h"

namespace benanza::verify {

/// Expects that the reference's elements are `expected`, within 1e-6.
inline void expect(const char* key, const std::vector<std::vector<float>>& operands,
                   const std::vector<double>& expected) {
  const Problem problem = parse(key);
  ASSERT_EQ(element_count(output(problem)), static_cast<std::int64_t>(expected.size())) << key;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(reference(problem, operands, static_cast<std::int64_t>(i)), expected[i], 1e-6)
        << key << ' ' << i;
  }
}

}  // namespace benanza::verify
