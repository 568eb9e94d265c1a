// The algorithm names that are available without a GPU: the call-per-layer functions.
#include "suites/cudnn/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/cases/case_tests.h"

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

TEST_F(WithoutGpu, OffersWhatTheCasesSay) {
  for (const harness::Case& one : harness::cases_in(CASES, "calls")) {
    harness::expect_offer(backend_, one);
  }
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
  for (const harness::Case& one : harness::cases_in(CASES, "steps")) {
    const Precision precision = one.precision.value();
    const Layout layout = backend_.layouts(one.problem).front();
    Problem bare = one.problem;
    bare.epilogue = {};
    for (const Algorithm& name : names(key(bare).c_str(), precision, layout)) {
      EXPECT_THROW(harness::made(backend_, {one.problem, precision, layout, name}),
                   harness::Unsupported)
          << harness::text_of(one) << ' ' << name;
    }
  }
}

TEST_F(WithoutGpu, LayoutsNeedNone) {
  using enum Layout;
  EXPECT_THAT(backend_.layouts(parse(convolution)), ElementsAre(nchw, nhwc));
  EXPECT_THAT(backend_.layouts(parse("instancenorm/2x8x4x4_e1e-05")), ElementsAre(nchw, nhwc));
  EXPECT_THAT(backend_.layouts(parse("layernorm/8x16_e1e-05")), ElementsAre(plain));
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), ElementsAre(plain));
}

}  // namespace
}  // namespace benanza::cudnn
