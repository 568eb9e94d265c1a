#include "suites/nvidia/profiling/tensor_core_names.h"

#include <gtest/gtest.h>

#include <utility>

namespace benanza::nvidia {
namespace {

constexpr auto yes = true;
constexpr auto no = false;
constexpr auto unknown = std::nullopt;

TEST(UsesTensorCores, ByName) {
  const std::vector<std::pair<const char*, std::optional<bool>>> table{
      {"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", yes},
      {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tensor16x8x16", yes},
      {"sm80_xmma_gemm_tf32f32_tf32f32_f32_tn_n_tensor16x8x8_aligna4", yes},
      {"cutlass_80_tensorop_s16816gemm_bf16_128x64_32x6_nn_align8", yes},
      {"ampere_h16816gemm_128x64_ldg8_stages_64x3_nn", yes},
      {"volta_s884cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1", yes},
      {"turing_i8816gemm", unknown},
      {"turing_i16832gemm_int8_128x64", yes},
      {"turing_h1688gemm_256x64", yes},
      {"sm80_tensor16x_reorder_tensor16x8x8", yes},
      {"convertTensor_kernel_tensor4d", unknown},
      {"sgemm_largek_lds64", no},
      {"xsgemm", unknown},
      {"nvjet_hsh_128x64_64x8_2x1_v_bz_TNT", yes},
      {"void foo_hmma_kernel", yes},
      {"ampere_sgemm_32x128_nn", no},
      {"volta_sgemm_128x64_tn", no},
      {"sm90_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4",
       no},
      {"cutlass_80_simt_sgemm_128x64_8x5_nn_align1", no},
      {"ampere_scudnn_128x64_relu_small_nn_v1", no},
      {"volta_cgemm_32x64_tn", no},
      {"sm90_something_else", unknown},
      {"_ZN5cudnn3ops20pooling_fw_4d_kernelIffEEvv", unknown},
      {"my_nvjet_copy", unknown},
      {"", unknown},
  };
  for (const auto& [name, expected] : table) EXPECT_EQ(uses_tensor_cores(name), expected) << name;
}

TEST(AnyUsesTensorCores, OneKernelIsEnoughAndAllMustBeKnownForNo) {
  EXPECT_EQ(any_uses_tensor_cores({"unknown_kernel", "nvjet_x"}), yes);
  EXPECT_EQ(any_uses_tensor_cores({"ampere_sgemm_x", "x_ffma"}), no);
  EXPECT_EQ(any_uses_tensor_cores({"ampere_sgemm_x", "unknown_kernel"}), unknown);
  EXPECT_EQ(any_uses_tensor_cores({}), unknown);
}

}  // namespace
}  // namespace benanza::nvidia
