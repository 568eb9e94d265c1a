#include "analysis/profile_match/evidence.h"

#include <gtest/gtest.h>

namespace benanza::analysis {
namespace {

// A trace has the extents of its operators' tensors: not which operand is a weight or a cache, nor
// whether this run made the keys.
TEST(Signature, IsEqualForWhatAProfileCannotTell) {
  const std::string crossed = "attention/1x8x4x64_k8x1500x64_s0.125";
  EXPECT_EQ(signature(crossed + "_new"), signature(crossed));
  EXPECT_EQ(signature("attention_bwd/1x8x4x64_k8x1500x64_s0.125_new"),
            signature("attention_bwd/1x8x4x64_k8x1500x64_s0.125"));
  EXPECT_NE(signature(crossed + "_causal"), signature(crossed));
  EXPECT_EQ(signature("gemm/m4_n1500_k64_nt_a8_b8_cache"), signature("gemm/m4_n1500_k64_nt_a8_b8"));
}

}  // namespace
}  // namespace benanza::analysis
