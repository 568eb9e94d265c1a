#include <gmock/gmock.h>

#include "core/tests/folder.h"
#include "record/logs/shared/log.h"
#include "record/logs/shared/nvidia_log.h"
#include "record/tests/nvidia_texts.h"

namespace benanza::record {
namespace {

using namespace test;
using benanza::test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ApiLog, CudnnGraphsHaveEngineAndLayout) {
  const auto calls = api_calls(execute + normalise);
  ASSERT_EQ(calls.size(), 2);
  EXPECT_EQ(calls[0].library, "cudnn");
  EXPECT_EQ(calls[0].problem, "conv/1x32x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g2");
  EXPECT_EQ(calls[0].algorithm, "engine 28 TILE_SIZE=4 USE_TEX=0");
  EXPECT_EQ(calls[0].data, Precision::fp16);
  EXPECT_EQ(calls[0].layout, Layout::nhwc);
  EXPECT_EQ(calls[1].problem, "batchnorm/1x64x112x112_e1e-05");
  EXPECT_EQ(calls[1].data, Precision::fp32);
  EXPECT_EQ(calls[1].layout, Layout::nchw);
}

TEST(ApiLog, CudnnCallsHaveTheAlgorithm) {
  const auto calls =
      api_calls(cudnn_entry("cudnnConvolutionForward",
                            float_nchw + convolution_fields +
                                algorithm("CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM")));
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[0].algorithm, "implicit_precomp_gemm");
}

TEST(ApiLog, GradientsOfConvolutionsInGraphs) {
  // 28 * 2 - 2 + 3 - 2 = 55 of 56 pixels are reached: an end pad of 0.
  const std::string data = "deconv/32x128x28x28_k64x3x3_p1.1.0.0_s2x2_d1x1_g1";
  const std::string filter = "conv_bwd_filter/32x64x56x56_k128x3x3_p1.1.1.1_s2x2_d1x1_g1";
  for (const std::string prefix : {"d", ""}) {
    const auto calls = api_calls(
        graph_gradient("CONVOLUTION_BACKWARD_DATA", prefix + "xDesc", "wDesc", prefix + "yDesc") +
        graph_gradient("CONVOLUTION_BACKWARD_FILTER", "xDesc", prefix + "wDesc", prefix + "yDesc"));
    ASSERT_EQ(calls.size(), 2);
    EXPECT_EQ(calls[0].problem, data);
    EXPECT_EQ(calls[0].data, Precision::bf16);
    EXPECT_EQ(calls[0].layout, Layout::nhwc);
    EXPECT_EQ(calls[0].algorithm, "engine 5");
    EXPECT_EQ(calls[1].problem, filter);
    EXPECT_EQ(calls[1].data, Precision::bf16);
  }
}

TEST(ApiLog, CallsOfTrainingSteps) {
  const auto calls = api_calls(
      training_entry("cudnnConvolutionBackwardData", "CUDNN_CONVOLUTION_BWD_DATA_ALGO_1") +
      training_entry("cudnnConvolutionBackwardFilter",
                     "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED") +
      training_entry("cudnnBatchNormalizationForwardTrainingEx", "") +
      training_entry("cudnnBatchNormalizationBackwardEx", ""));
  ASSERT_EQ(calls.size(), 4);
  EXPECT_EQ(calls[0].problem, "deconv/1x4x6x6_k3x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[0].algorithm, "algo_1");
  EXPECT_EQ(calls[1].problem, "conv_bwd_filter/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[1].algorithm, "winograd_nonfused");
  EXPECT_EQ(calls[2].problem, "batchnorm_training/1x3x8x8_e1e-05");
  EXPECT_EQ(calls[3].problem, "batchnorm_bwd/1x3x8x8_e1e-05");
}

TEST(ApiLog, ProductsAreColumnMajor) {
  const auto lt = api_calls(lt_linear);
  ASSERT_EQ(lt.size(), 1);
  EXPECT_EQ(lt[0].library, "cublaslt");
  EXPECT_EQ(lt[0].problem, "gemm/m1_n1000_k2048_nt_bias");
  EXPECT_EQ(lt[0].algorithm, "algorithm 13");
  EXPECT_EQ(lt[0].data, Precision::fp32);

  const auto with = [](const std::string& epilogue, const std::string& beta) {
    const auto calls = api_calls(lt_product(epilogue, beta));
    return calls.size() == 1 ? calls[0].problem : std::to_string(calls.size()) + " calls";
  };
  EXPECT_EQ(with("", "0"), "gemm/m64_n256_k512_nt");
  EXPECT_EQ(with("", "1"), "gemm/m64_n256_k512_nt_residual");
  EXPECT_EQ(with(" epilogue=EPILOGUE_RELU_BIAS", "0"), "gemm/m64_n256_k512_nt_bias_relu");
  EXPECT_EQ(with(" epilogue=EPILOGUE_GELU", "0"), "gemm/m64_n256_k512_nt_gelutanh");
  EXPECT_EQ(with(" epilogue=EPILOGUE_DRELU", "0"), "0 calls");
  EXPECT_EQ(with("", "0.5"), "0 calls");

  // Neither the types nor the arithmetic are dropped in silence.
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = lt_linear;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    return text;
  };
  const auto logged = [&](const std::string& from, const std::string& to) {
    const std::string text = replaced(from, to);
    return call_of(library_logs(), "cublaslt", text.substr(text.find("[Trace]")));
  };
  EXPECT_EQ(logged("COMPUTE_32F", "COMPUTE_32F_FAST_TF32")->data, Precision::tf32);
  for (const auto& [from, to, detail] :
       {std::tuple("COMPUTE_32F", "COMPUTE_32F_FAST_16BF", "computeType COMPUTE_32F_FAST_16BF"),
        std::tuple("Bdesc=[type=R_32F", "Bdesc=[type=R_16F", "operands of R_32F and R_16F"),
        std::tuple("desc=[type=R_32F", "desc=[type=R_64F", "operands of R_64F")}) {
    const auto call = logged(from, to);
    EXPECT_EQ(call->problem, "") << to;
    EXPECT_EQ(call->detail, detail + std::string(", gemm/m1_n1000_k2048_nt_bias")) << to;
  }
  EXPECT_EQ(logged("desc=[type=R_32F", "desc=[type=R_8F_E4M3")->data, Precision::fp8);

  const auto classic = api_calls(cublas_product);
  ASSERT_EQ(classic.size(), 1);
  EXPECT_EQ(classic[0].library, "cublas");
  EXPECT_EQ(classic[0].problem, "gemm/m8_n1000_k2048_nt");
}

TEST(ApiLog, AnEntryCutShortIsLeftOut) {
  EXPECT_EQ(api_calls(normalise + execute.substr(0, execute.size() - 120)).size(), 1);
  const benanza::test::Folder folder;
  const auto file = folder.write("log", "I! CuDNN (v91900 56) function cudnnCreate() called:\n");
  EXPECT_THAT(error_of([&] { read_api_log(file); }),
              AllOf(HasSubstr(file.string() + ": "), HasSubstr("CUDNN_LOGLEVEL_DBG"),
                    Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace benanza::record
