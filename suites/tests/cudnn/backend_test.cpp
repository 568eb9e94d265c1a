// The algorithm names that are available without a GPU: the call-per-layer functions.
#include "suites/cudnn/backend.h"
#include "suites/tests/asked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "core/base/file.h"

namespace benanza::cudnn {
namespace {

using harness::Algorithm;
using harness::AlgorithmSet;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class WithoutGpu : public testing::Test {
 protected:
  // Hides all GPUs of the machine from here on.
  WithoutGpu() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  std::vector<Algorithm> names(const char* key, Precision precision, Layout layout) {
    return harness::algorithms(backend_, parse(key), precision, layout, AlgorithmSet::all);
  }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CudnnBackend backend_{device_};
};

constexpr const char* convolution = "conv/1x8x14x14_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";

TEST_F(WithoutGpu, ConvolutionsHaveAllAlgorithmsInTheLibrarysOrder) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::int8}) {
    EXPECT_THAT(names(convolution, precision, Layout::nhwc),
                ElementsAre("implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft",
                            "fft_tiling", "winograd", "winograd_nonfused"));
  }
  EXPECT_THAT(
      names("conv/1x8x14x14_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias", Precision::fp32, Layout::nchw),
      ElementsAre("implicit_precomp_gemm"));
  EXPECT_THAT(
      names("deconv/1x8x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1", Precision::fp32, Layout::nchw),
      ElementsAre("algo_0", "algo_1", "fft", "fft_tiling", "winograd", "winograd_nonfused"));
}

TEST_F(WithoutGpu, OtherCallsAreKnownByName) {
  const auto fp32 = [&](const char* key, Layout layout) {
    return names(key, Precision::fp32, layout);
  };
  EXPECT_THAT(fp32("relu/1x8x4x4", Layout::nchw), ElementsAre("activation"));
  EXPECT_THAT(fp32("hardswish/1x8x4x4", Layout::nchw), ElementsAre("op_tensor"));
  EXPECT_THAT(fp32("add/1x8x4x4_1x8x1x1_w", Layout::nchw), ElementsAre("op_tensor", "add_tensor"));
  EXPECT_THAT(fp32("add/1x8x4x4_1x8x1x1_w", Layout::nhwc),
              ElementsAre("op_tensor", "add_tensor", "op_tensor.folded", "add_tensor.folded"));
  EXPECT_THAT(fp32("batchnorm/1x8x4x4_e1e-05", Layout::nhwc),
              ElementsAre("spatial", "spatial_persistent"));
  EXPECT_THAT(fp32("instancenorm/2x8x4x4_e1e-05", Layout::nchw), ElementsAre("batchnorm_training"));
  EXPECT_THAT(fp32("layernorm/8x16_e1e-05", Layout::plain), ElementsAre("batchnorm_training"));
  EXPECT_THAT(fp32("maxpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1", Layout::nchw), ElementsAre("direct"));
  EXPECT_THAT(
      fp32("softmax/3x10_a1", Layout::plain),
      ElementsAre("accurate.instance", "accurate.channel", "fast.instance", "fast.channel"));
  EXPECT_THAT(fp32("lrn/1x8x4x4_n5_a1e-04_b0.75_k1", Layout::nchw), ElementsAre("cross_channel"));
  EXPECT_THAT(fp32("reducemean/1x8x7x7_a2.3", Layout::nchw), ElementsAre("reduce_tensor"));
  EXPECT_THAT(fp32("concat/1x2_2x2_a0", Layout::plain), ElementsAre("memcpy", "transform_tensor"));
  EXPECT_THAT(fp32("copy/2x3_f3.1_t1.2", Layout::plain),
              UnorderedElementsAre("transform_tensor", "transform_tensor.image"));
  EXPECT_THAT(fp32("copy/2x4_f8.1_t4.1", Layout::plain),
              UnorderedElementsAre("transform_tensor", "transform_tensor.words", "memcpy"));
  // A row of three elements is not a whole number of words.
  EXPECT_THAT(fp32("copy/2x3_f8.1_t4.1", Layout::plain),
              UnorderedElementsAre("transform_tensor", "memcpy"));
  EXPECT_THAT(
      fp32("lstm/t5_n2_i3_h4_l1_forward", Layout::plain),
      ElementsAre("standard", "persist_static", "persist_dynamic", "persist_static_small_h"));
  EXPECT_THAT(fp32("dropout/1x8_r0.5", Layout::plain), ElementsAre("dropout"));
}

TEST_F(WithoutGpu, CallsOfTrainingStepsAreKnownByName) {
  const auto fp16 = [&](const char* key, Layout layout) {
    return names(key, Precision::fp16, layout);
  };
  EXPECT_THAT(fp16("conv_bwd_filter/2x8x14x14_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", Layout::nhwc),
              ElementsAre("algo_0", "algo_1", "fft", "algo_3", "winograd", "winograd_nonfused",
                          "fft_tiling"));
  for (const char* key : {"batchnorm_training/2x8x4x4_e1e-05", "batchnorm_bwd/2x8x4x4_e1e-05"}) {
    EXPECT_THAT(fp16(key, Layout::nchw), ElementsAre("spatial", "spatial_persistent")) << key;
    EXPECT_THAT(fp16(key, Layout::nhwc),
                ElementsAre("spatial", "spatial_persistent", "spatial_persistent_ex"))
        << key;
  }
  EXPECT_THAT(fp16("relu_bwd/2x8x4x4", Layout::nhwc), ElementsAre("activation"));
  EXPECT_THAT(fp16("maxpool_bwd/2x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1", Layout::nchw),
              ElementsAre("direct", "direct.deterministic"));
  EXPECT_THAT(fp16("logsoftmax_bwd/3x10_a1", Layout::plain),
              ElementsAre("log.instance", "log.channel"));
}

// This list is used to try out a new GPU or library version.
TEST_F(WithoutGpu, EveryListedGradientHasACallOrMayHaveAnEngine) {
  std::istringstream keys(read_file(TEST_DATA "/gradient_keys.txt"));
  int with_calls = 0;
  int count = 0;
  for (std::string key; keys >> key; ++count) {
    const Layout layout = backend_.layouts(parse(key)).at(0);
    try {
      with_calls += names(key.c_str(), Precision::fp32, layout).empty() ? 0 : 1;
    } catch (const harness::NoDevice&) {
      // Only graphs support it.
    }
  }
  EXPECT_GT(count, 50);
  EXPECT_GT(with_calls, 35);
}

// What only training needs for batch 32 of ResNet-50 and BERT-base (128 words), and for an lstm.
TEST_F(WithoutGpu, ListedTrainingStepsAreKeysEachOnce) {
  std::istringstream keys(read_file(TEST_DATA "/training_step_keys.txt"));
  std::set<std::string> seen;
  for (std::string listed; keys >> listed;) {
    EXPECT_EQ(key(parse(listed)), listed);
    EXPECT_TRUE(seen.insert(listed).second) << listed;
  }
  EXPECT_GT(seen.size(), 100U);
}

TEST_F(WithoutGpu, GradientsOfBiasesAreRefusedInWords) {
  try {
    names("conv_bwd_filter/2x8x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias", Precision::fp32,
          Layout::nchw);
    FAIL() << "not refused";
  } catch (const harness::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "cuDNN sums the gradient of a bias in a call of its own");
  }
}

TEST_F(WithoutGpu, TrainingStepsOfIntegersAreRefused) {
  for (const char* key :
       {"maxpool_bwd/2x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1", "softmax_bwd/8x10_a1",
        "batchnorm_training/2x8x4x4_e1e-05", "batchnorm_bwd/2x8x4x4_e1e-05", "relu_bwd/2x8x4x4"}) {
    EXPECT_THROW(names(key, Precision::int8, Layout::nchw), harness::Unsupported) << key;
  }
}

TEST_F(WithoutGpu, WhatOnlyTheDeviceTellsIsNotRefusedButUnknown) {
  EXPECT_THROW(names("gelu/8x16", Precision::fp32, Layout::plain), harness::NoDevice);
  EXPECT_THROW(names("attention/1x12x128x64_k12x128x64_s0.125", Precision::fp16, Layout::plain),
               harness::NoDevice);
  // A layout that only graphs support.
  EXPECT_THROW(names("instancenorm/2x8x4x4_e1e-05", Precision::fp32, Layout::nhwc),
               harness::NoDevice);
  EXPECT_THROW(harness::made(backend_, {parse(convolution), Precision::fp32, Layout::nchw, "gemm"}),
               harness::NoDevice);
  EXPECT_THROW(backend_.system(), harness::NoDevice);
  EXPECT_THAT(backend_.devices(), IsEmpty());
}

TEST_F(WithoutGpu, NoCallLeavesOutSteps) {
  for (const char* key :
       {"conv/1x8x14x14_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu_mul_y1x8x1x1",
        "deconv/1x8x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_mul_y1x8x1x1", "relu/1x8x4x4_mul_y1x8x1x1",
        "add/1x8x4x4_1x8x1x1_w_relu", "batchnorm/1x8x4x4_e1e-05_relu", "layernorm/8x16_e1e-05_relu",
        "instancenorm/2x8x4x4_e1e-05_relu", "softmax/3x10_a1_relu", "reducemean/1x8x7x7_a2.3_relu",
        "maxpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_relu"}) {
    const Problem problem = parse(key);
    const Layout layout = backend_.layouts(problem).front();
    Problem bare = problem;
    bare.epilogue = {};
    for (const Algorithm& name : names(benanza::key(bare).c_str(), Precision::fp32, layout)) {
      EXPECT_THROW(harness::made(backend_, {problem, Precision::fp32, layout, name}),
                   harness::Unsupported)
          << key << ' ' << name;
    }
  }
}

TEST_F(WithoutGpu, LayoutsAndRefusalsNeedNone) {
  using enum Layout;
  EXPECT_THAT(backend_.layouts(parse(convolution)), ElementsAre(nchw, nhwc));
  EXPECT_THAT(backend_.layouts(parse("instancenorm/2x8x4x4_e1e-05")), ElementsAre(nchw, nhwc));
  EXPECT_THAT(backend_.layouts(parse("layernorm/8x16_e1e-05")), ElementsAre(plain));
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), ElementsAre(plain));
  EXPECT_THROW(names("resample/1x16x7x5_o14x15_linear", Precision::fp32, plain),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
