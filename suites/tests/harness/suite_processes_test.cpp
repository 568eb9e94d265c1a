// A suite that divides its repetitions among several processes.
#include <signal.h>

#include "suites/harness/choose/run_place.h"
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Processes : Suite {
  /// The process of each repetition of "relu/1x8/fp32/nchw/fake/direct".
  std::vector<int> processes() const {
    std::map<int, int> found;
    for (const Json& row : rows()) {
      if (row.at("name") != direct) continue;
      found[row.at("repetition_index")] = row.at("process");
    }
    std::vector<int> list;
    for (const auto& [repetition, process] : found) list.push_back(process);
    return list;
  }
  std::vector<std::string> command(int repetitions, int processes,
                                   const std::string& filter = all_relu) const {
    return {out_flag(), filter, "--benchmark_repetitions=" + std::to_string(repetitions),
            "--processes=" + std::to_string(processes)};
  }
  std::string direct = "relu/1x8/fp32/nchw/fake/direct";
};

TEST_F(Processes, EachTakesItsShareOfTheRepetitions) {
  const auto measure = [this](int repetitions, int processes) {
    std::vector<std::string> arguments = command(repetitions, processes);
    arguments.emplace_back("--fresh");
    EXPECT_EQ(run(arguments).status, 0);
    return this->processes();
  };
  EXPECT_THAT(measure(5, 1), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(measure(5, 5), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(measure(5, 2), ElementsAre(1, 1, 2, 2, 2));
  EXPECT_THAT(measure(3, 9), ElementsAre(1, 2, 3));
  EXPECT_THAT(measure(1, 4), ElementsAre(1));
  EXPECT_EQ(folder.entries(), 1);
}

TEST_F(Processes, KeepTheAnchorsOfEarlierOnes) {
  run(command(3, 3));
  EXPECT_EQ(document().at("context").at("anchor_fake_seconds"), "0.5 0.5 0.5");
  run(command(4, 1));
  EXPECT_EQ(document().at("context").at("anchor_fake_seconds"), "0.5 0.5 0.5 0.5");
}

// The second time is outclassed in both; the others are measured in every process.
TEST_F(Processes, WhatIsOutclassedTwiceIsLeftOut) {
  run(command(4, 4));
  EXPECT_EQ(names().count("relu/1x8/fp32/nchw/fake/direct"), 4U);
  EXPECT_LE(names().count("relu/1x8/fp32/nchw/fake/strided"), 3U);
}

TEST_F(Processes, AreReportedOneByOneAndFailuresOnceAtTheEnd) {
  const Finished finished = run(command(3, 3, "--benchmark_filter=relu/1x8.*nchw.*direct|tanh"));
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("process 1 of 3: 5 variants: 1 ok, 1 unsupported, "
                                      "1 incorrect, 2 failed"));
  EXPECT_THAT(finished.err, HasSubstr("process 2 of 3: 1 of 5 variants: 1 ok, 0 unsupported, "
                                      "0 incorrect, 0 failed"));
  EXPECT_THAT(finished.err, HasSubstr("process 3 of 3: 1 of 5 variants: 1 ok"));
  EXPECT_EQ(lines(finished.err).back(),
            "bench_fake: 3 measurements are incorrect or failed, first "
            "tanh/1x8/fp32/plain/fake/wrong");
  // Tried once.
  EXPECT_EQ(names().count("tanh/1x8/fp32/plain/fake/throws"), 1U);
  EXPECT_EQ(rows().size(), 7U);
}

TEST_F(Processes, ReportToCTestAsOneRun) {
  std::vector<std::string> arguments = command(3, 3, "--benchmark_filter=relu/1x8.*nchw.*direct");
  arguments.emplace_back("--ctest");
  const std::string out = run(arguments).out;
  const auto at = out.find("name=\"ok\">3<");
  EXPECT_NE(at, std::string::npos) << out;
  EXPECT_EQ(out.find("name=\"ok\"", at + 1), std::string::npos);
  EXPECT_THAT(out, HasSubstr("name=\"measured_before\">0<"));
  // All that matters is in the file.
  EXPECT_THAT(run(arguments).out, HasSubstr("name=\"measured_before\">1<"));
}

TEST_F(Processes, TheDocumentOnStandardOutputIsWrittenOnce) {
  std::vector<std::string> arguments = command(3, 3, "--benchmark_filter=relu/1x8.*nchw.*direct");
  arguments.emplace_back("--benchmark_format=json");
  const Json document = Json::parse(run(arguments).out, nullptr, false);
  ASSERT_FALSE(document.is_discarded());
  EXPECT_EQ(document.at("benchmarks").size(), 3U);
}

TEST_F(Processes, WhatChangesTheDeviceComesAfterTheLastOne) {
  const Finished finished = run_program({.arguments = command(2, 2, "--benchmark_filter=relu/1x8"),
                                         .environment = {{"FAKE_PROFILE", "kernels"}}});
  EXPECT_EQ(finished.status, 0);
  std::size_t with_kernels = 0;
  for (const Json& row : rows()) {
    EXPECT_EQ(row.at("profiles_before"), 0) << row;
    with_kernels += row.contains("kernel_names") ? 1 : 0;
  }
  EXPECT_EQ(with_kernels, 4U);  // both repetitions of direct, in two layouts
}

// Process 1 measures the ReLU; of two more, the first both calls of the maximum, and the second is
// stopped at its third call.
TEST_F(Processes, WeightsComeFromMemoryInTheFirst) {
  ASSERT_EQ(run({out_flag(), "--problem=relu/1x8"}).status, 0);
  Request request = held_after(2, {out_flag(), "--problem=relu/1x8", "--problem=max/1x64_1x64_w",
                                   "--benchmark_repetitions=2", "--processes=2"});
  request.environment["FAKE_CACHE_BYTES"] = "256";
  Program program(request);
  await_gate();
  program.send(SIGTERM);
  open_gate();
  EXPECT_EQ(program.wait().status, 128 + SIGTERM);
  std::map<std::string, int> rotated;
  for (const Json& row : rows()) {
    if (row.contains("rotating_seconds")) rotated[row.at("name")] = row.at("process");
  }
  EXPECT_THAT(rotated, ElementsAre(testing::Pair("max/1x64_1x64_w/fp32/plain/fake/direct", 2)));
}

TEST_F(Processes, AKilledOneLosesNothingAndAnotherGoesOn) {
  // The first run measures four variants; of the second one, the first process measures the other
  // eight, and the second process is killed at its ninth.
  ASSERT_EQ(run({out_flag(), "--benchmark_filter=relu/1x8"}).status, 0);
  std::vector<std::string> arguments = command(3, 3);
  Program program(held_after(8, arguments));
  await_gate();
  program.send(SIGKILL);
  ASSERT_EQ(program.wait().status, -SIGKILL);
  EXPECT_EQ(rows_in_journal(), 8);
  EXPECT_EQ(rows().size(), 12U);

  EXPECT_EQ(run(arguments).status, 0);
  EXPECT_EQ(folder.entries(), 1);
  std::set<std::pair<std::string, int>> seen;
  std::map<std::string, std::set<int>> processes_of;
  for (const Json& row : rows()) {
    seen.emplace(row.at("name"), row.at("repetition_index"));
    processes_of[row.at("name")].insert(row.at("process").get<int>());
  }
  EXPECT_EQ(seen.size(), rows().size());
  for (const char* const shape : {"1x8", "2x8", "3x8"}) {
    EXPECT_EQ(processes_of["relu/" + std::string(shape) + "/fp32/nchw/fake/direct"].size(), 3U);
  }
}

TEST_F(Processes, AnInterruptionStartsNoOther) {
  ASSERT_EQ(run({out_flag(), "--benchmark_filter=relu/1x8"}).status, 0);
  Program program(held_after(8, command(3, 3)));
  await_gate();  // in the second process
  program.send(SIGTERM);
  open_gate();
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 128 + SIGTERM);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("process 2 of 3"), Not(HasSubstr("process 3 of 3"))));
  EXPECT_THAT(finished.err, HasSubstr("interrupted; start again with the same flags"));
  EXPECT_EQ(rows().size(), 12U + 9U);
  EXPECT_EQ(run(command(3, 3)).status, 0);
  EXPECT_EQ(processes().size(), 3U);
}

TEST_F(Processes, MoreOfThemContinueAFile) {
  run(command(2, 1, "--benchmark_filter=relu/1x8.*nchw.*direct"));
  const Finished more = run(command(4, 4, "--benchmark_filter=relu/1x8.*nchw.*direct"));
  EXPECT_THAT(processes(), ElementsAre(1, 1, 2, 3));
  // The first two have nothing to do.
  EXPECT_THAT(more.err, Not(HasSubstr("process 2 of 4")));
}

TEST_F(Processes, WhatCannotBeIsOneLine) {
  expect_error(run({"--processes=0"}), "--processes: give 1 or more");
  expect_error(run({"--processes=2", "--benchmark_repetitions=2"}),
               "--processes needs --benchmark_out=FILE");
  expect_error(run({"--process=3"}), "--process=3: is for the program's own use");
  // One repetition needs no other process, and no file.
  EXPECT_EQ(run({"--processes=2", "--benchmark_filter=relu/1x8"}).status, 0);
}

TEST(RunPlace, IsReadAsItIsWritten) {
  const RunPlace place{.number = 3, .count = 1, .first = 7, .started = 12.5};
  EXPECT_EQ(place_text(place), "3:7:12.5");
  const RunPlace read = parse_place("3:7:12.5");
  EXPECT_EQ(read.number, 3);
  EXPECT_EQ(read.first, 7);
  EXPECT_EQ(read.started, 12.5);
  for (const char* const text : {"", "3", "3:7", "3:7:x", "0:7:2", "3:0:2", "3:7:2 "}) {
    EXPECT_ANY_THROW(parse_place(text)) << text;
  }
}

}  // namespace
}  // namespace benanza::harness
