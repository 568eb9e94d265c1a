// The algorithm names that are available without a GPU.
#include "suites/cublas/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/cases/case_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace benanza::cublas {
namespace {

using testing::ElementsAre;

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

TEST_F(WithoutGpu, OffersWhatTheCasesSay) {
  for (const harness::Case& one : harness::cases_in(CASES, "calls")) {
    harness::expect_offer(backend_, one);
  }
}

TEST_F(WithoutGpu, TheHeuristicListIsUnknown) {
  EXPECT_THROW(names("gemm/m16_n16_k16_nt_w", Precision::int8), harness::NoDevice);
  EXPECT_THROW(names("gemm/m8_n8_k8_nn_bias", Precision::fp32), harness::NoDevice);
  EXPECT_THROW(harness::made(backend_, {parse("gemm/m8_n8_k8_nn"), Precision::fp32, Layout::plain,
                                        "gemm_ex"}),
               harness::NoDevice);
  EXPECT_THROW(backend_.system(), harness::NoDevice);
}

TEST_F(WithoutGpu, HasMatrixProductsAlone) {
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), ElementsAre(Layout::plain));
  try {
    names("relu/8", Precision::fp32);
    FAIL() << "offered";
  } catch (const harness::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "cuBLAS has no call for 'relu'");
  }
}

}  // namespace
}  // namespace benanza::cublas
