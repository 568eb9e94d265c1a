// Eigen's sparse matrix products, verified as in the suite.
#include <gmock/gmock.h>

#include "suites/eigen/backend.h"
#include "suites/tests/asked.h"
#include "suites/tests/verify/planted_errors.h"
#include "suites/verify/verification_cases.h"
#include "suites/verify/verify.h"

namespace benanza::eigen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::optional<std::string> verdict(const char* key, const harness::Algorithm& algorithm) {
  const auto backend = make_backend();
  const harness::Variant variant{parse(key), Precision::fp32, Layout::plain, algorithm};
  const auto primitive = harness::made(*backend, variant);
  return verify::verifier()(*primitive, variant, {});
}

TEST(EigenSparseProduct, IsRight) {
  // One row of X, several rows, more products than Eigen leaves to one thread, and weights with
  // empty rows.
  for (const char* key : {"spmm/m40_n1_k30_z120", "spmm/m40_n7_k30_z120",
                          "spmm/m400_n3_k300_z24000", "spmm/m50_n2_k10_z20", "spmm/m6_n5_k4_z24"}) {
    for (const char* algorithm : {"csr", "csc", "csr_rows"}) {
      EXPECT_EQ(verdict(key, algorithm), std::nullopt) << key << ' ' << algorithm;
    }
  }
}

TEST(EigenSparseProduct, OffersRowsAndColumnsAtFp32) {
  const auto backend = make_backend();
  const Problem problem = parse("spmm/m40_n1_k30_z120");
  EXPECT_THAT(backend->layouts(problem), ElementsAre(Layout::plain));
  EXPECT_THAT(harness::algorithms(*backend, problem, Precision::fp32, Layout::plain,
                                  harness::AlgorithmSet::all),
              ElementsAre("csr", "csc"));
  const auto names = [&](const char* key, harness::AlgorithmSet set) {
    return harness::algorithms(*backend, parse(key), Precision::fp32, Layout::plain, set);
  };
  EXPECT_THAT(names("spmm/m40_n9_k30_z120", harness::AlgorithmSet::all),
              ElementsAre("csr_rows", "csr", "csc"));
  EXPECT_THAT(names("spmm/m40_n900_k30_z120", harness::AlgorithmSet::all), ElementsAre("csr_rows"));
  EXPECT_THAT(names("spmm/m40_n900_k30_z120", harness::AlgorithmSet::with_reference),
              ElementsAre("csr_rows", "csr", "csc"));
  EXPECT_THROW(harness::algorithms(*backend, problem, Precision::int8, Layout::plain,
                                   harness::AlgorithmSet::all),
               harness::Unsupported);
  EXPECT_THAT(backend->layouts(parse("relu/4")), IsEmpty());
}

TEST(EigenSparseProduct, APlantedErrorIsFound) {
  int found = 0;
  const auto backend = make_backend();
  for (const verify::PlantedError& error : verify::planted_errors()) {
    const Problem wanted = parse(error.wanted);
    if (!std::holds_alternative<SparseProduct>(wanted.shape)) continue;
    verify::Mistaken wrong(error, harness::made(*backend, {parse(error.mistaken), Precision::fp32,
                                                           Layout::plain, "csr"}));
    verify::VerificationCase cache;
    EXPECT_FALSE(verify::verify(wrong, wanted, Precision::fp32, cache).ok);
    ++found;
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace benanza::eigen
