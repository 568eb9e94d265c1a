// The algorithm names that are available without a GPU.
#include "suites/cusparse/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/cases/case_tests.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace benanza::cusparse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CusparseWithoutGpu : public testing::Test {
 protected:
  // Hides all GPUs of the machine from here on.
  CusparseWithoutGpu() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CusparseBackend backend_{device_};
};

TEST_F(CusparseWithoutGpu, OffersWhatTheCasesSay) {
  for (const harness::Case& one : harness::cases_in(CASES)) harness::expect_offer(backend_, one);
}

TEST_F(CusparseWithoutGpu, WantsADevice) {
  EXPECT_THROW(harness::made(backend_, {parse("spmm/m8_n4_k8_z20"), Precision::fp32, Layout::plain,
                                        "spmm_csr_alg1"}),
               harness::NoDevice);
}

TEST_F(CusparseWithoutGpu, KnowsTheLibrarysVersion) {
  EXPECT_THAT(backend_.libraries(),
              ElementsAre(testing::Pair("cuSPARSE", testing::Not(IsEmpty()))));
}

}  // namespace
}  // namespace benanza::cusparse
