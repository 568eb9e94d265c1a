// Runs bench_mpi with mpirun: small sizes, a few seconds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <map>
#include <string>

#include "core/results_file/read_rows.h"
#include "core/tests/folder.h"

namespace benanza::mpi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Started {
  int status = 0;
  std::string out;
  std::string err;
};

class BenchMpi : public ::testing::Test {
 protected:
  /// More ranks than CPUs, and running as root: both need explicit permission.
  Started bench(int ranks, const std::string& flags, const std::string& before = "") {
    const auto out = folder_.path() / "out.txt";
    const auto err = folder_.path() / "err.txt";
    const std::string line = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " MPIEXEC
                             " --oversubscribe -n " +
                             std::to_string(ranks) + " " + before + BENCH_MPI " " + flags + " >" +
                             out.string() + " 2>" + err.string();
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, test::contents(out), test::contents(err)};
  }

  std::map<std::string, Row> rows() {
    std::map<std::string, Row> found;
    read_rows(file(), {.begin = [this](const Origin& origin) { origin_ = origin; },
                       .add = [&](Row&& row) { found[to_string(row.variant)] = std::move(row); }});
    return found;
  }

  std::filesystem::path file() const { return folder_.path() / "results.json"; }

  test::Folder folder_;
  Origin origin_;
};

TEST_F(BenchMpi, MeasuresEveryCollectiveVerified) {
  const Started run =
      bench(2, "--min-bytes=1K --max-bytes=2K --budget=0.01 --benchmark_out=" + file().string());
  EXPECT_EQ(run.status, 0) << run.err;
  const auto all = rows();
  EXPECT_EQ(all.size(), 10U);
  for (const char* const name : {"all_reduce/256_r2", "all_gather/256_r2", "reduce_scatter/512_r2",
                                 "broadcast/512_r2", "all_to_all/256_r2"}) {
    const auto row = all.find(std::string(name) + "/fp32/plain/mpi/default");
    ASSERT_NE(row, all.end()) << name;
    EXPECT_EQ(row->second.status, Status::ok) << row->second.reason;
    EXPECT_FALSE(row->second.samples.empty());
  }
  EXPECT_EQ(origin_.backend, "mpi");
  EXPECT_EQ(origin_.system.at("hosts"), "1");
  EXPECT_NE(origin_.system.at("mpi_library"), "");
}

TEST_F(BenchMpi, AGroupOfTheRanksMeasuresBesideOthersThatWait) {
  const Started run = bench(3,
                            "--ranks=2,3 --min-bytes=256 --max-bytes=256 --budget=0.01 "
                            "--benchmark_out=" +
                                file().string());
  EXPECT_EQ(run.status, 0) << run.err;
  const auto all = rows();
  EXPECT_EQ(all.size(), 10U);
  for (const auto& [name, row] : all) EXPECT_EQ(row.status, Status::ok) << name << row.reason;
  EXPECT_TRUE(all.contains("all_to_all/66_r3/fp32/plain/mpi/default"));
}

TEST_F(BenchMpi, RefusesByNameWhatItCannot) {
  const Started run = bench(2,
                            "--ranks=4 --precision=fp32,fp16 --problem=all_reduce/64_r4 "
                            "--budget=0.01 --benchmark_out=" +
                                file().string());
  EXPECT_EQ(run.status, 0) << run.err;
  const auto all = rows();
  ASSERT_EQ(all.size(), 2U);
  const Row& single = all.at("all_reduce/64_r4/fp32/plain/mpi/none");
  EXPECT_EQ(single.status, Status::unsupported);
  EXPECT_THAT(single.reason, HasSubstr("needs 4 ranks, and there are 2"));
  EXPECT_THAT(all.at("all_reduce/64_r4/fp16/plain/mpi/none").reason, HasSubstr("no type for fp16"));
}

TEST_F(BenchMpi, CountsElementsAsTheLibraryDoes) {
  const Started run = bench(2,
                            "--problem=all_reduce/2147483648_r2 "
                            "--problem=broadcast/2147483646_r999 --ranks=2 --benchmark_out=" +
                                file().string());
  EXPECT_EQ(run.status, 0) << run.err;
  const auto all = rows();
  EXPECT_THAT(all.at("all_reduce/2147483648_r2/fp32/plain/mpi/none").reason,
              HasSubstr("more elements than an int counts"));
  EXPECT_THAT(all.at("broadcast/2147483646_r999/fp32/plain/mpi/none").reason,
              HasSubstr("needs 999 ranks"));
}

TEST_F(BenchMpi, GoesOnWhenRanksRunOutOfMemory) {
  // 1 GiB of buffers per rank, with less address space than that.
  const Started run = bench(2,
                            "--problem=all_reduce/134217728_r2 --problem=all_reduce/64_r2 "
                            "--budget=0.01 --benchmark_out=" +
                                file().string(),
                            "sh -c 'ulimit -v 1000000; exec \"$0\" \"$@\"' ");
  const auto all = rows();
  ASSERT_EQ(all.size(), 2U) << run.err;
  for (const auto& [name, row] : all) {
    if (name.starts_with("all_reduce/64_r2")) {
      EXPECT_EQ(row.status, Status::ok) << row.reason;
    } else {
      EXPECT_THAT(row.reason, ::testing::AnyOf(HasSubstr("out of memory"), HasSubstr("are free")));
    }
  }
}

TEST_F(BenchMpi, ColdCallsFlushTheCachesOfEveryRank) {
  const Started run = bench(
      2, "--cold --problem=all_reduce/64_r2 --budget=0.01 --benchmark_out=" + file().string());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(rows().at("all_reduce/64_r2/fp32/plain/mpi/default/cold").status, Status::ok);
}

TEST_F(BenchMpi, OneRankAloneIsNoDevice) {
  const Started run = bench(1, "--max-bytes=256");
  EXPECT_EQ(run.status, 77);
  EXPECT_THAT(run.err, HasSubstr("bench_mpi: one rank alone: start it as mpirun -n 2 bench_mpi"));
}

TEST_F(BenchMpi, SaysWhatItKnowsWithoutMeasuring) {
  const Started help = bench(2, "--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--max-bytes=BYTES"), HasSubstr("--ranks=N,...")));
  const Started list = bench(2, "--benchmark_list_tests=true --max-bytes=256");
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("all_reduce/64_r2/fp32/plain/mpi/default\n"));
  const Started wrong = bench(2, "--ranks=none");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("bench_mpi: --ranks=none: give numbers from 2"));
}

}  // namespace
}  // namespace benanza::mpi
