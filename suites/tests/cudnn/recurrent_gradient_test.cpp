// Gradients of recurrent networks, as far as they are known without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "suites/cudnn/backend.h"
#include "suites/tests/asked.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;

class RecurrentGradients : public testing::Test {
 protected:
  RecurrentGradients() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  std::vector<harness::Algorithm> names(const char* key, Precision precision = Precision::fp16) {
    return harness::algorithms(backend_, parse(key), precision, Layout::plain,
                               harness::AlgorithmSet::all);
  }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CudnnBackend backend_{device_};
};

TEST_F(RecurrentGradients, OfDataAndOfWeightsHaveTheForwardCallsAlgorithms) {
  for (const char* key :
       {"lstm_bwd_data/t5_n2_i3_h4_l1_forward", "gru_bwd_weights/t5_n2_i3_h4_l1_forward_lbr",
        "lstm/t5_n2_i3_h4_l1_forward_training"}) {
    EXPECT_THAT(names(key), ElementsAre("standard", "persist_static", "persist_dynamic",
                                        "persist_static_small_h"))
        << key;
  }
}

TEST_F(RecurrentGradients, OfBothAreTwoCalls) {
  try {
    names("lstm_bwd/t5_n2_i3_h4_l1_forward");
    FAIL() << "not refused";
  } catch (const harness::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "cuDNN has a call for the data and one for the weights");
  }
}

TEST_F(RecurrentGradients, AreRefusedWhereTheForwardCallIs) {
  EXPECT_THROW(names("gru_bwd_data/t5_n2_i3_h4_l1_forward"), harness::Unsupported);
  EXPECT_THROW(names("lstm_bwd_data/t5_n2_i3_h4_l1_reverse"), harness::Unsupported);
}

TEST_F(RecurrentGradients, OfLocalResponseNormalizationIsOneCall) {
  const Problem problem = parse("lrn_bwd/1x16x4x4_n5_a1e-04_b0.75_k1");
  const auto all = harness::AlgorithmSet::all;
  EXPECT_THAT(harness::algorithms(backend_, problem, Precision::fp32, Layout::nhwc, all),
              ElementsAre("cross_channel"));
  EXPECT_THROW(harness::algorithms(backend_, problem, Precision::int8, Layout::nhwc, all),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
