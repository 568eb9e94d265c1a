// The algorithm names that are available without a GPU.
#include "suites/cublas/backend.h"
#include "suites/tests/asked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace benanza::cublas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WithoutGpu : public testing::Test {
 protected:
  // Hides all GPUs of the machine from here on.
  WithoutGpu() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  std::vector<harness::Algorithm> names(const char* key, Precision precision) {
    return harness::algorithms(backend_, parse(key), precision, Layout::plain,
                               harness::AlgorithmSet::all);
  }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CublasBackend backend_{device_};
};

TEST_F(WithoutGpu, CallsWithoutAListAreKnownByName) {
  EXPECT_THAT(names("gemm/m8_n8_k8_nn", Precision::fp32), ElementsAre("gemm_ex"));
  EXPECT_THAT(names("gemm/m1_n8_k8_nn", Precision::fp16), ElementsAre("gemm_ex", "gemv"));
}

TEST_F(WithoutGpu, TheHeuristicListIsUnknown) {
  EXPECT_THROW(names("gemm/m16_n16_k16_nt_w", Precision::int8), harness::NoDevice);
  EXPECT_THROW(names("gemm/m8_n8_k8_nn_bias", Precision::fp32), harness::NoDevice);
  EXPECT_THROW(harness::made(backend_, {parse("gemm/m8_n8_k8_nn"), Precision::fp32, Layout::plain,
                                        "gemm_ex"}),
               harness::NoDevice);
  EXPECT_THROW(backend_.system(), harness::NoDevice);
}

TEST_F(WithoutGpu, NoCallLeavesOutSteps) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::int8}) {
    EXPECT_THROW(names("gemm/m8_n8_k8_nn_bias_mul_y8x8", precision), harness::Unsupported);
  }
  EXPECT_THROW(harness::made(backend_, {parse("gemm/m8_n8_k8_nn_mul_y8x8"), Precision::fp32,
                                        Layout::plain, "gemm_ex"}),
               harness::Unsupported);
}

TEST_F(WithoutGpu, HasMatrixProductsAlone) {
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), ElementsAre(Layout::plain));
  EXPECT_THAT(backend_.layouts(parse("relu/8")), IsEmpty());
  try {
    names("relu/8", Precision::fp32);
    FAIL() << "offered";
  } catch (const harness::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "cuBLAS has no call for 'relu'");
  }
}

}  // namespace
}  // namespace benanza::cublas
