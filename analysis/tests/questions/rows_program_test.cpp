// Every measurement as a row of one CSV table.

#include <gmock/gmock.h>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using testing::HasSubstr;

const std::string header =
    "device,library,threads,operator,problem,precision,layout,backend,algorithm,cold,process,"
    "repetition,status,seconds,flops,bytes,workspace_bytes,heuristic_rank,tensor_cores,"
    "rotating_seconds,energy_joules,disturbed,reason\n";

TEST(RowsProgram, EveryMeasurementIsARowAndUnknownsAreEmpty) {
  const test::Folder folder;
  const std::string name = "relu/1x8/fp32/nchw/onednn/";
  const std::string refused = R"({"name": ")" + name +
                              R"(ref", "run_type": "iteration", "iterations": 0, "real_time": 0,
"cpu_time": 0, "time_unit": "us", "status": "unsupported", "reason": "no, \"never\""})";
  folder.write("r/a.json",
               test::results_text(test::row(name + "jit", "[1e-6, 3e-6, 2e-6]") + ",\n" + refused));
  const auto answer = test::run_program("rows " + (folder.path() / "r").string(), folder);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.out, header +
                            "a CPU,onednn,2,relu,relu/1x8,fp32,nchw,onednn,jit,false,1,0,ok,"
                            "2e-06,,,,,,,,,\n"
                            "a CPU,onednn,2,relu,relu/1x8,fp32,nchw,onednn,ref,false,1,0,"
                            "unsupported,,,,,,,,,,\"no, \"\"never\"\"\"\n");
}

TEST(RowsProgram, WhatIsNoResultIsAnError) {
  const test::Folder folder;
  const auto answer = test::run_program("rows " + folder.write("a.json", "{}").string(), folder);
  EXPECT_NE(answer.status, 0);
  EXPECT_THAT(answer.err, HasSubstr("a.json"));
}

}  // namespace
}  // namespace benanza::analysis
