#include "core/library/kernel_name.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(ReadableName, OfAFunctionIsDemangled) {
  EXPECT_EQ(readable_name("_Z3addPf"), "add(float*)");
  // A PyTorch kernel, as reported by CUPTI.
  EXPECT_EQ(
      readable_name(
          "_ZN2at6native29vectorized_elementwise_kernelILi8ENS0_11FillFunctorIfEESt5arrayIPcLm1"
          "EEEEviT0_T1_"),
      "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<float>, "
      "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)");
}

TEST(ReadableName, OfWhatIsNotMangledStays) {
  EXPECT_EQ(readable_name("sm90_xmma_gemm_f16f16_kernel_cublas"),
            "sm90_xmma_gemm_f16f16_kernel_cublas");
  EXPECT_EQ(readable_name(""), "");
  // Truncated, or never a C++ name.
  EXPECT_EQ(readable_name("_ZN2at6nat"), "_ZN2at6nat");
  EXPECT_EQ(readable_name("_Zebra"), "_Zebra");
}

TEST(ReadableName, OfACallOfTheRuntimeHasNoVersion) {
  EXPECT_EQ(readable_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(readable_name("cudaEventElapsedTime_v12080"), "cudaEventElapsedTime");
  EXPECT_EQ(readable_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(readable_name("cudaMemset_ptds_v7000"), "cudaMemset");
  EXPECT_EQ(readable_name("cudaLaunchKernel"), "cudaLaunchKernel");
  // Names of driver calls stay as they are.
  EXPECT_EQ(readable_name("cuGetProcAddress_v2"), "cuGetProcAddress_v2");
  EXPECT_EQ(readable_name("cudaOf3020"), "cudaOf3020");
}

TEST(ReadableName, OfAnyLengthIsBounded) {
  // Each parameter is a pair of two of the previous one: the last contains "int" 4096 times.
  std::string mangled = "_Z1fSt4pairIiiE";
  for (const char* before :
       {"S0_", "S1_", "S2_", "S3_", "S4_", "S5_", "S6_", "S7_", "S8_", "S9_", "SA_"}) {
    mangled += std::string("S_I") + before + before + "E";
  }
  const std::string name = readable_name(mangled);
  EXPECT_EQ(name.size(), std::size_t{1} << 14);
  EXPECT_TRUE(name.starts_with("f(std::pair<int, int>, std::pair<std::pair<int, int>, "));
}

}  // namespace
}  // namespace benanza
