#include "core/library/algorithm.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(ReferenceCode, IsAWordOfTheImplementationsName) {
  for (const char* name : {"ref", "ref:any", "ref_int8:any", "conv:any+ref:any", "ocl:ref:any"}) {
    EXPECT_TRUE(is_reference_code(name)) << name;
  }
  for (const char* name : {"", "brg:avx512_core", "jit_refined:any", "prefer:any", "gemm:jit"}) {
    EXPECT_FALSE(is_reference_code(name)) << name;
  }
}

}  // namespace
}  // namespace benanza
