#include "core/library/kernel_name.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

struct Expected {
  std::string_view name;
  std::optional<bool> tensor_cores;
  std::optional<Precision> products;
  std::string_view algorithm;
};

TEST(KernelName, TellsTensorCoresPrecisionAndAlgorithm) {
  // Kernel names of PyTorch 2.11 with cuDNN 9.19 and cuBLAS 13.1 on an H100.
  const Expected names[] = {
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize64x32x64_stage5_"
       "warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
       true, Precision::tf32, "implicit_gemm"},
      // cuDNN's filter gradient, whose name no demangler reads.
      {"_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_11threadblock"
       "22ImplicitGemmMultistageINS_4gemm9GemmShapeILi64ELi64ELi64EEENS4_52Conv2dWgrad"
       "OutputGradientTileAccessIteratorOptimized4warp11MmaTensorOp",
       true, std::nullopt, "implicit_gemm"},
      {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
       "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
       false, Precision::fp32, "implicit_gemm"},
      {"sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x32_"
       "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
       true, Precision::tf32, "implicit_gemm"},
      {"sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_"
       "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
       true, Precision::fp16, "implicit_gemm"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(cutlass_80_"
       "tensorop_s1688gemm_64x64_32x6_nn_align4::Params)",
       true, Precision::tf32, "gemm"},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)", false,
       Precision::fp32, "gemm"},
      {"void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, false, "
       "true>(int)",
       false, Precision::fp32, "implicit_gemm"},
      {"nvjet_hsh_64x8_64x16_2x1_v_bz_TNT", true, Precision::fp16, "gemm"},
      {"nvjet_sm90_hsh_64x8_64x16_2x1_v_bz_TNT", true, Precision::fp16, "gemm"},
      {"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT", true, Precision::bf16, "gemm"},
      {"nvjet_sm90_sss_64x8_64x16_2x1_v_bz_TNT", true, Precision::tf32, "gemm"},
      {"ampere_h16816gemm_64x64_ldg8_stages_64x6_tn", true, Precision::fp16, "gemm"},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", true,
       Precision::fp16, ""},
      {"maxwell_scudnn_128x64_relu_interior_nn_v1", false, Precision::fp32,
       "implicit_precomp_gemm"},
      {"ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", false, Precision::fp32,
       "winograd"},
      {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(Params)", false,
       std::nullopt, "winograd_nonfused"},
      {"void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*)", false, std::nullopt,
       "fft"},
      {"void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float, "
       "int>(int)",
       false, std::nullopt, "direct"},
      {"void at::native::batch_norm_transform_input_channels_last_kernel<c10::Half, float, "
       "c10::Half, 4>(c10::Half const*)",
       false, std::nullopt, ""},
      {"void at::native::tinygemm_m16n8k16_chunk_kernel<8, int>(int)", std::nullopt, std::nullopt,
       "gemm"},
      {"sm90_some_new_kernel", std::nullopt, std::nullopt, ""},
  };
  for (const Expected& expected : names) {
    const KernelTraits traits = kernel_traits(expected.name);
    EXPECT_EQ(traits.role, KernelRole::work) << expected.name;
    EXPECT_EQ(traits.tensor_cores, expected.tensor_cores) << expected.name;
    EXPECT_EQ(traits.products, expected.products) << expected.name;
    EXPECT_EQ(traits.algorithm, expected.algorithm) << expected.name;
  }
}

TEST(KernelName, TellsWhatOnlyMovesBytes) {
  const std::pair<std::string_view, KernelRole> names[] = {
      {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, "
       "true>(Params)",
       KernelRole::layout},
      {"void cudnn::engines_precompiled::nhwcToNchwKernel<float, float, float, true>(Params)",
       KernelRole::layout},
      {"void nhwcAddPaddingKernel<__half, __half, float, true>(int)", KernelRole::padding},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float>(Params)",
       KernelRole::combine},
      {"Memset (Device)", KernelRole::fill},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
       KernelRole::fill},
      {"Memcpy DtoD (Device -> Device)", KernelRole::copy},
      {"void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)",
       KernelRole::copy},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda, "
       "at::native::memory::LoadWithCast<1>>(int)",
       KernelRole::cast},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda>()",
       KernelRole::cast},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>()", KernelRole::work},
  };
  for (const auto& [name, role] : names) {
    EXPECT_EQ(kernel_traits(name).role, role) << name;
    EXPECT_EQ(kernel_traits(name).algorithm, "") << name;
  }
}

TEST(KernelLabel, IsWhatPeopleReadOfAName) {
  EXPECT_EQ(kernel_label("void at::native::f<int>(int, float*)"), "at::native::f<int>");
  EXPECT_EQ(kernel_label("void f<(int)4, g(int)::{lambda()#1}>(h(*)(int))"), "f<4, g>");
  EXPECT_EQ(kernel_label("void (anonymous namespace)::f<2>(int)"), "f<2>");
  EXPECT_EQ(kernel_label("void a::(anonymous namespace)::f<b::(anonymous namespace)::g>(int)"),
            "a::f<b::g>");
  EXPECT_EQ(
      kernel_label("void a::f<8, a::(anonymous namespace)::clamp(a::T&)::{lambda()#1}::"
                   "operator()() const::{lambda(c10::Half)#1}, std::array<char*, 2ul> >(int)"),
      "a::f<8, a::clamp, std::array<char*, 2ul> >");
  EXPECT_EQ(kernel_label("f(int)"), "f");
  EXPECT_EQ(kernel_label("sm90_xmma_gemm"), "sm90_xmma_gemm");
  EXPECT_EQ(kernel_label("Memset (Device)"), "Memset (Device)");
  EXPECT_EQ(kernel_label("odd)"), "odd)");
  EXPECT_EQ(kernel_label("void odd((a)"), "void odd((a)");
  EXPECT_EQ(kernel_label(""), "");
}

TEST(KernelOwner, IsALibraryOrAFramework) {
  // On an H200 with PyTorch 2.11, cuDNN 9 and cuBLAS 13.
  for (const char* name :
       {"nvjet_sm90_hsh_128x192_64x5_2x1_v_bz_coopB_TNN",
        "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64__5x_"
        "cudnn",
        "void nhwcAddPaddingKernel<__half, __half, float, true, (cudnnKernelDataType_t)0>(int)",
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, float>(Params)",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)",
        "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_nn",
        "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(Params)"}) {
    EXPECT_TRUE(is_library_kernel(name)) << name;
    EXPECT_FALSE(is_framework_kernel(name)) << name;
  }
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
        "void (anonymous namespace)::softmax_warp_forward<at::native::Half>(int)",
        "triton_poi_fused_relu_0", "loop_add_fusion_3", "gemm_fusion_dot", "wrapped_slice",
        "void stream_executor::gpu::DelayKernel(long)"}) {
    EXPECT_FALSE(is_library_kernel(name)) << name;
    EXPECT_TRUE(is_framework_kernel(name)) << name;
  }
  for (const char* name : {"my_kernel(float*)", "Memset (Device)", "benanza_delay"}) {
    EXPECT_FALSE(is_library_kernel(name)) << name;
    EXPECT_FALSE(is_framework_kernel(name)) << name;
  }
}

}  // namespace
}  // namespace benanza
