// The algorithm names that are available without a GPU.
#include "suites/cutensor/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/cases/case_tests.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace benanza::cutensor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CutensorWithoutGpu : public testing::Test {
 protected:
  // Hides all GPUs of the machine from here on.
  CutensorWithoutGpu() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CutensorBackend backend_{device_};
};

TEST_F(CutensorWithoutGpu, OffersWhatTheCasesSay) {
  for (const harness::Case& one : harness::cases_in(CASES)) harness::expect_offer(backend_, one);
}

TEST_F(CutensorWithoutGpu, WantsADevice) {
  EXPECT_THROW(harness::made(backend_, {parse("copy/64x56_f1.64_t56.1"), Precision::fp32,
                                        Layout::plain, "permute"}),
               harness::NoDevice);
}

TEST_F(CutensorWithoutGpu, KnowsTheLibrarysVersion) {
  EXPECT_THAT(backend_.libraries(),
              ElementsAre(testing::Pair("cuTENSOR", testing::StartsWith("2."))));
}

}  // namespace
}  // namespace benanza::cutensor
