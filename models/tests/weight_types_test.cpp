#include <gtest/gtest.h>

#include "models/language/pass.h"

namespace benanza::language {
namespace {

TEST(WeightTypes, AreReadAsTheyAreWritten) {
  for (const char* text : {"bf16", "fp8", "fp8_block", "int8", "int8:32", "int4:128"}) {
    const auto type = parse_weight_type(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(to_string(*type), text);
  }
  for (const char* text : {"int4", "int4:", "int4:24", "int4:8", "int4:32x", "fp4", ""}) {
    EXPECT_FALSE(parse_weight_type(text)) << text;
  }
}

}  // namespace
}  // namespace benanza::language
