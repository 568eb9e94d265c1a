// The algorithm names that are available without a GPU.
#include "suites/cutensor/backend.h"
#include "suites/tests/asked.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace benanza::cutensor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* transposition = "copy/64x56_f1.64_t56.1";

class CutensorWithoutGpu : public testing::Test {
 protected:
  // Hides all GPUs of the machine from here on.
  CutensorWithoutGpu() { ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1); }

  std::vector<harness::Algorithm> names(const char* key, Precision precision) {
    return harness::algorithms(backend_, parse(key), precision, Layout::plain,
                               harness::AlgorithmSet::all);
  }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CutensorBackend backend_{device_};
};

TEST_F(CutensorWithoutGpu, PermutesElementsOf16And32Bits) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    EXPECT_THAT(names(transposition, precision), ElementsAre("permute"));
  }
  EXPECT_THAT(names("copy/64x56_f112.1_t56.1", Precision::fp16),
              ElementsAre("permute", "permute.words"));
  EXPECT_THROW(names(transposition, Precision::int8), harness::Unsupported);
}

TEST_F(CutensorWithoutGpu, HasCopiesAlone) {
  EXPECT_THAT(backend_.layouts(parse(transposition)), ElementsAre(Layout::plain));
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), IsEmpty());
}

TEST_F(CutensorWithoutGpu, WantsADevice) {
  EXPECT_THROW(
      harness::made(backend_, {parse(transposition), Precision::fp32, Layout::plain, "permute"}),
      harness::NoDevice);
}

TEST_F(CutensorWithoutGpu, KnowsTheLibrarysVersion) {
  EXPECT_THAT(backend_.libraries(),
              ElementsAre(testing::Pair("cuTENSOR", testing::StartsWith("2."))));
}

}  // namespace
}  // namespace benanza::cutensor
