// The algorithm names that are available without a GPU.
#include "suites/cusparse/backend.h"
#include "suites/tests/asked.h"

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

  std::vector<harness::Algorithm> names(const char* key, Precision precision) {
    return harness::algorithms(backend_, parse(key), precision, Layout::plain,
                               harness::AlgorithmSet::all);
  }

  nvidia::LazyContext device_{nvidia::CudaOptions{}};
  CusparseBackend backend_{device_};
};

TEST_F(CusparseWithoutGpu, OffersEveryAlgorithmOfCompressedRows) {
  EXPECT_THAT(names("spmm/m8_n4_k8_z20", Precision::fp32),
              ElementsAre("spmm_csr_alg1", "spmm_csr_alg2", "spmm_csr_alg3"));
  EXPECT_THAT(names("spmm/m8_n1_k8_z20", Precision::fp16),
              ElementsAre("spmv_csr_alg1", "spmv_csr_alg2", "spmm_csr_alg1", "spmm_csr_alg2",
                          "spmm_csr_alg3"));
  EXPECT_THROW(names("spmm/m8_n4_k8_z20", Precision::int8), harness::Unsupported);
  EXPECT_THROW(names("spmm/m8_n4_k8_z20", Precision::tf32), harness::Unsupported);
}

TEST_F(CusparseWithoutGpu, HasSparseProductsAlone) {
  EXPECT_THAT(backend_.layouts(parse("spmm/m8_n4_k8_z20")), ElementsAre(Layout::plain));
  EXPECT_THAT(backend_.layouts(parse("gemm/m8_n8_k8_nn")), IsEmpty());
}

TEST_F(CusparseWithoutGpu, WantsADevice) {
  EXPECT_THROW(harness::made(backend_, {parse("spmm/m8_n4_k8_z20"), Precision::fp32, Layout::plain,
                                        "spmm_csr_alg1"}),
               harness::NoDevice);
  EXPECT_THROW(harness::made(backend_, {parse("spmm/m8_n4_k8_z20"), Precision::fp32, Layout::plain,
                                        "spmv_csr_alg1"}),
               harness::Unsupported)
      << "several rows are no vector";
}

TEST_F(CusparseWithoutGpu, KnowsTheLibrarysVersion) {
  EXPECT_THAT(backend_.libraries(),
              ElementsAre(testing::Pair("cuSPARSE", testing::Not(IsEmpty()))));
}

}  // namespace
}  // namespace benanza::cusparse
