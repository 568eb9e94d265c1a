// What the suite reports about itself without a GPU.

#include "suites/nccl/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "core/tests/folder.h"
#include "suites/nccl/gpus.h"
#include "suites/tests/asked.h"

namespace benanza::nccl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WorthwhileRanks, ArePowersOfTwoAndAllGpus) {
  EXPECT_THAT(worthwhile_ranks(0), ElementsAre(2));
  EXPECT_THAT(worthwhile_ranks(1), ElementsAre(2));
  EXPECT_THAT(worthwhile_ranks(2), ElementsAre(2));
  EXPECT_THAT(worthwhile_ranks(3), ElementsAre(2, 3));
  EXPECT_THAT(worthwhile_ranks(6), ElementsAre(2, 4, 6));
  EXPECT_THAT(worthwhile_ranks(8), ElementsAre(2, 4, 8));
}

TEST(LibraryEnvironment, HasTheLibrarysVariablesInOrder) {
  char algorithm[] = "NCCL_NVLS_ENABLE=0";
  char other[] = "PATH=/bin";
  char first[] = "NCCL_ALGO=Ring";
  char* some[] = {algorithm, other, first, nullptr};
  EXPECT_EQ(library_environment(some), "NCCL_ALGO=Ring NCCL_NVLS_ENABLE=0");
  char* none[] = {other, nullptr};
  EXPECT_EQ(library_environment(none), "none");
}

TEST(NcclBackend, RefusesPrecisionsThatItDoesNotAddUp) {
  const auto backend = make_backend();
  const Problem problem = parse("all_reduce/64_r2");
  EXPECT_THROW(harness::algorithms(*backend, problem, Precision::int8, Layout::plain,
                                   harness::AlgorithmSet::all),
               harness::Unsupported);
  EXPECT_TRUE(backend->layouts(parse("relu/64")).empty());
}

TEST(BenchNccl, ListsItsNamesWithoutAGpu) {
  const test::Folder folder;
  const auto out = folder / "out.txt";
  const std::string line = "CUDA_VISIBLE_DEVICES= " BENCH_NCCL
                           " --benchmark_list_tests=true --min-bytes=1K --max-bytes=1K --ranks=2"
                           " --precision=bf16 >" +
                           out.string();
  EXPECT_EQ(std::system(line.c_str()), 0);
  const std::string names = test::contents(out);
  EXPECT_THAT(names, HasSubstr("all_reduce/256_r2/bf16/plain/nccl/default\n"));
  EXPECT_THAT(names, HasSubstr("all_to_all/256_r2/bf16/plain/nccl/launched\n"));
}

TEST(BenchNccl, IsSkippedWithoutAGpu) {
  const int status =
      std::system("CUDA_VISIBLE_DEVICES= " BENCH_NCCL " --max-bytes=256 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 77);
}

}  // namespace
}  // namespace benanza::nccl
