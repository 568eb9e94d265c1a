// benanza-analyze collectives, run as a user does.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;

class CollectivesProgram : public testing::Test {
 protected:
  Outcome run(const std::string& more) const { return run_program("collectives " + more, folder_); }
  std::string write(const std::string& backend, const std::string& rows) const {
    return folder_.write(backend + ".json", results_text(rows, "2", backend)).string();
  }
  const Folder folder_;
};

TEST_F(CollectivesProgram, SaysBandwidthsAsNcclTests) {
  // 4000 bytes in 2 us (default) and 1 us (launched): the faster counts; 400 kB in 100 us; 40 kB in
  // 20 us, for which 1 and 100 us predict 10.
  const std::string file =
      write("nccl", row("all_reduce/1000_r4/fp32/plain/nccl/default", "[2e-6]") + "," +
                        row("all_reduce/1000_r4/fp32/plain/nccl/launched", "[1e-6]") + "," +
                        row("all_reduce/10000_r4/fp32/plain/nccl/default", "[20e-6]") + "," +
                        row("all_reduce/100000_r4/fp32/plain/nccl/default", "[100e-6]") + "," +
                        row("all_reduce/1000_r4/fp32/plain/nccl/default/cold", "[1e-9]") + "," +
                        row("all_gather/1000_r4/fp32/plain/nccl/default", "[1e-6]") + "," +
                        row("relu/1000/fp32/plain/nccl/default", "[1e-6]"));
  const Outcome outcome = run(file + " --format json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json reports = json::parse(outcome.out)["reports"];
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0]["kind"], "all_reduce");
  EXPECT_EQ(reports[0]["ranks"], 4);
  const json small = reports[0]["sizes"][0];
  EXPECT_EQ(small["bytes"], 4000);
  EXPECT_DOUBLE_EQ(small["algorithm_bandwidth"].get<double>(), 4e9);
  EXPECT_DOUBLE_EQ(small["bus_bandwidth"].get<double>(), 6e9);
  EXPECT_TRUE(small["left_out_error"].is_null());
  EXPECT_NEAR(reports[0]["sizes"][1]["left_out_error"].get<double>(), -0.5, 1e-9);
  EXPECT_EQ(reports[1]["kind"], "all_gather");
  EXPECT_DOUBLE_EQ(reports[1]["sizes"][0]["bus_bandwidth"].get<double>(), 3e9);
}

TEST_F(CollectivesProgram, TwoBackendsAreTwoQuestions) {
  const std::string name = "all_reduce/1000_r2/fp32/plain/";
  const std::string files = write("nccl", row(name + "nccl/default", "[1e-6]")) + ' ' +
                            write("mpi", row(name + "mpi/default", "[2e-6]"));
  expect_error(run(files), "collectives of ");
  const Outcome outcome = run(files + " --backend mpi --format csv");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("all_reduce,2,fp32,mpi,4000,"));
}

TEST_F(CollectivesProgram, ErrorsAreOneLine) {
  const std::string file = write("mpi", row("relu/1/fp32/plain/mpi/a", "[1e-6]"));
  expect_error(run(file), "no collective at this precision");
  expect_error(run(file + " --precision half"), "half");
}

}  // namespace
}  // namespace benanza::analysis
