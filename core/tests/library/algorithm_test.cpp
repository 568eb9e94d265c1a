#include "core/library/algorithm.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(ApiLogAlgorithm, IsAnEngineWithItsSettings) {
  const char* const logged = "engine 62 IDX_MODE=0 TILEK=1 TILE_CGA_M=8 TILE_SIZE=5";
  EXPECT_TRUE(is_same_algorithm(logged, "engine62.k2=5.k13=1.k18=0.k27=8"));
  EXPECT_TRUE(is_same_algorithm(logged, "winograd.engine62.k27=8.k2=5.k13=1.k18=0"));
  EXPECT_FALSE(is_same_algorithm(logged, "engine61.k2=5.k13=1.k18=0.k27=8"));
  EXPECT_FALSE(is_same_algorithm(logged, "engine62.k2=4.k13=1.k18=0.k27=8"));
  EXPECT_FALSE(is_same_algorithm(logged, "engine62.k2=5.k13=1.k18=0"));
  EXPECT_FALSE(is_same_algorithm(logged, "implicit_gemm"));
  EXPECT_TRUE(is_same_algorithm("engine 63", "engine63"));
  EXPECT_TRUE(is_same_algorithm("residual.engine 63", "residual.engine63"));
  EXPECT_TRUE(is_same_algorithm("engine 5 SWAP_AB=1", "engine5.k43=1"));
  EXPECT_FALSE(is_same_algorithm("engine 5 NEW_KNOB=1", "engine5"));
}

TEST(ApiLogAlgorithm, OfOtherLibrariesIsTheirName) {
  EXPECT_TRUE(is_same_algorithm("implicit_precomp_gemm", "implicit_precomp_gemm"));
  EXPECT_TRUE(is_same_algorithm("CUBLAS_GEMM_DEFAULT(-1)", "gemm_ex"));
  EXPECT_FALSE(is_same_algorithm("algorithm 66", "lt.a66.t315.s35.k1.r0.z0.o3.i0.c9"));
  EXPECT_FALSE(is_same_algorithm("", ""));
}

TEST(ApiLogAlgorithm, HasTheNameThatTheSuitesBuildItBy) {
  // Settings in the order of their numbers, as cuDNN's heuristics list them.
  EXPECT_EQ(suite_algorithm("engine 62 IDX_MODE=0 TILEK=1 TILE_CGA_M=8 TILE_SIZE=5"),
            "engine62.k2=5.k13=1.k18=0.k27=8");
  EXPECT_EQ(suite_algorithm("engine 63"), "engine63");
  EXPECT_EQ(suite_algorithm("residual.engine 39 WORKSPACE=0"), "residual.engine39.k25=0");
  EXPECT_EQ(suite_algorithm("implicit_precomp_gemm"), "implicit_precomp_gemm");
  EXPECT_EQ(suite_algorithm("CUBLAS_GEMM_DEFAULT(-1)"), "gemm_ex");
  EXPECT_EQ(suite_algorithm("engine 5 NEW_KNOB=1"), "");
  EXPECT_EQ(suite_algorithm("algorithm 66"), "");
  EXPECT_EQ(suite_algorithm(""), "");
}

}  // namespace
}  // namespace benanza
