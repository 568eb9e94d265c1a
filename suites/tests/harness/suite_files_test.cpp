// The files of a suite: runs that are continued, end early, or share a file.
#include <signal.h>
#include <unistd.h>

#include "suites/harness/run/signals.h"
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using Json = nlohmann::json;

TEST_F(Suite, ASecondRunMeasuresNothingAgainAndFreshDoes) {
  run({out_flag(), "--benchmark_filter=relu/1x8"});
  const Finished more = run({out_flag(), "--benchmark_filter=relu/[12]x8"});
  EXPECT_THAT(more.err,
              HasSubstr("8 variants: 4 measured before (--fresh measures them again); 4 ok"));
  EXPECT_EQ(names().size(), 8U);
  const Finished fresh = run({out_flag(), "--benchmark_filter=relu/1x8", "--fresh"});
  EXPECT_THAT(fresh.err, HasSubstr("4 variants: 4 ok"));
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(Suite, WhatIsFarFromTheFastestIsMeasuredBriefly) {
  const auto stopped_by = [this](const std::string& algorithm) {
    for (const Json& row : rows()) {
      if (row.at("name") == "relu/1x8/fp32/nchw/fake/" + algorithm) return row.at("stopped_by");
    }
    return Json();
  };
  const Finished alone = run({out_flag(), "--benchmark_filter=relu/1x8.*nchw.*strided"});
  EXPECT_EQ(stopped_by("strided"), "budget");
  EXPECT_THAT(alone.err, HasSubstr("1 ok (1 noisy)"));
  run({out_flag(), "--benchmark_filter=relu/1x8.*nchw", "--fresh"});
  EXPECT_EQ(stopped_by("direct"), "converged");
  EXPECT_EQ(stopped_by("strided"), "outclassed");
  // The fastest may be in the file from an earlier run.
  run({out_flag(), "--benchmark_filter=relu/1x8.*nchw.*direct", "--fresh"});
  run({out_flag(), "--benchmark_filter=relu/1x8.*nchw.*strided"});
  EXPECT_EQ(stopped_by("strided"), "outclassed");
}

TEST_F(Suite, FailuresRunAgain) {
  run({out_flag(), "--benchmark_filter=tanh"});
  const Finished again = run({out_flag(), "--benchmark_filter=tanh"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("4 variants: 1 measured before"));
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(Suite, AnotherSystemIsRefused) {
  run({out_flag(), "--benchmark_filter=relu/1x8"});
  const std::string before = read_file(file);
  const Finished other =
      run_program({.arguments = {out_flag()}, .environment = {{"FAKE_THREADS", "8"}}});
  expect_error(other, "measured with threads = \"1\", now it is \"8\"");
  EXPECT_EQ(read_file(file), before);
  EXPECT_EQ(folder.entries(), 1);
}

TEST_F(Suite, AnUnwritableFileIsOneLine) {
  expect_error(run({"--benchmark_out=/proc/nowhere/r.json"}), "/proc/nowhere");
  expect_error(run({"--benchmark_out=" + (folder / "").string()}), "is a folder");
}

TEST_F(Suite, KillNineLosesNothingThatWasFinished) {
  std::ptrdiff_t kept = 0;
  for (const std::ptrdiff_t rows_before_the_kill : {1, 2, 4, 6, 8}) {
    Program program(held_after(rows_before_the_kill - kept, {out_flag(), all_relu}));
    await_gate();
    program.send(SIGKILL);
    ASSERT_EQ(program.wait().status, -SIGKILL);
    EXPECT_EQ(rows_in_journal(), rows_before_the_kill);
    kept = rows_in_journal();
  }
  const Finished last = run({out_flag(), all_relu});
  EXPECT_EQ(last.status, 0);
  EXPECT_THAT(last.err, HasSubstr("8 measured before"));
  EXPECT_EQ(folder.entries(), 1);
  const std::multiset<std::string> resumed = names();
  EXPECT_EQ(std::set<std::string>(resumed.begin(), resumed.end()).size(), 12U);

  run({out_flag(), all_relu, "--fresh"});
  EXPECT_EQ(names(), resumed);
}

TEST_F(Suite, AnInterruptionEndsAfterTheMeasurementAndWritesTheFile) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(held_after(2, {out_flag(), all_relu, "--fresh"}));
    await_gate();
    program.send(signal);
    open_gate();
    const Finished finished = program.wait();
    EXPECT_EQ(finished.status, 128 + signal);
    EXPECT_THAT(finished.err, HasSubstr("interrupted; start again with the same flags"));
    EXPECT_THAT(finished.out, Not(HasSubstr("not run")));
    EXPECT_EQ(names().size(), 3U);
    EXPECT_EQ(folder.entries(), 1);
  }
  EXPECT_EQ(run({out_flag(), all_relu}).status, 0);
  EXPECT_EQ(names().size(), 12U);
}

// `timeout` signals both the program and its process group, so that one interruption arrives twice.
TEST_F(Suite, TwoSignalsWithinASecondAreOneInterruption) {
  Program program(held_after(1, {out_flag(), all_relu}));
  await_gate();
  program.send(SIGTERM);
  ::usleep(1'000);  // pending signals would be merged
  program.send(SIGTERM);
  open_gate();
  const Finished finished = program.wait();
  EXPECT_EQ(finished.status, 128 + SIGTERM);
  EXPECT_THAT(finished.err, HasSubstr("interrupted; start again with the same flags"));
  EXPECT_EQ(names().size(), 2U);
  EXPECT_EQ(folder.entries(), 1);
}

// The second one may arrive when the results are written and the program is about to exit.
TEST(InterruptGuard, TakesASecondSignalAfterItsOwnEndToo) {
  EXPECT_EXIT(
      {
        {
          const InterruptGuard guard;
          ::raise(SIGTERM);
        }
        ::raise(SIGTERM);
        ::_exit(7);
      },
      ::testing::ExitedWithCode(7), "interrupted");
}

TEST(InterruptGuard, LeavesNothingBehindIfNoSignalCame) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        ::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST_F(Suite, AnotherSignalASecondLaterEndsItAtOnce) {
  Program program(held_after(0, {out_flag(), all_relu}));
  await_gate();
  program.send(SIGINT);
  ::usleep(1'100'000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, -SIGINT);
  EXPECT_FALSE(std::filesystem::exists(file));
}

// The gate stays closed: the measurement would never end.
TEST_F(Suite, AMeasurementThatDoesNotEndIsGivenUpAfterASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(held_after(2, {out_flag(), all_relu, "--fresh"}));
    await_gate();
    program.send(signal);
    const Finished finished = program.wait();
    EXPECT_EQ(finished.status, -signal);
    EXPECT_THAT(finished.err, HasSubstr("takes too long"));
    EXPECT_EQ(rows_in_journal(), 2);
  }
  EXPECT_EQ(run({out_flag(), all_relu}).status, 0);
  EXPECT_EQ(names().size(), 12U);
}

// The problems of a layer, of a fusion and of a layout change, each once. The model has no sigmoid,
// and the library no softmax.
TEST_F(Suite, AGraphFileNamesTheProblems) {
  const auto graph = folder / "m.graph.json";
  write_file(graph, R"({"schema": 1, "model": "m", "batch": 1, "layers": [
    {"name": "a", "op": "Relu", "inputs": [], "cost": "measured",
     "problems": ["relu/1x8", "softmax/1x8_a1"]},
    {"name": "b", "op": "Identity", "inputs": [0], "cost": "free", "problems": []},
    {"name": "c", "op": "Relu", "inputs": [1], "cost": "measured", "problems": ["relu/1x8"]}],
    "fusions": [{"pattern": "p", "layers": [0, 2], "problem": "relu/4x8"}],
    "transforms": [{"layer": 0, "of": "output", "to_nhwc": "relu/5x8", "to_nchw": null}]})");
  const Finished listed = run({"--graph=" + graph.string(), "--benchmark_list_tests=true",
                               "--algorithms=best", "--layout=nchw"});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out,
            "relu/1x8/fp32/nchw/fake/direct\nrelu/4x8/fp32/nchw/fake/direct\n"
            "relu/5x8/fp32/nchw/fake/direct\n");
  const Finished more = run({"--graph=" + graph.string(), "--problem=relu/9x8",
                             "--benchmark_list_tests=true", "--benchmark_filter=strided$"});
  EXPECT_THAT(more.out, AllOf(HasSubstr("relu/9x8/"), HasSubstr("relu/5x8/")));
}

// A recording of calls at two precisions: without being asked for one, the suite measures both.
TEST_F(Suite, AGraphFileNamesItsPrecisions) {
  const auto graph = folder / "m.graph.json";
  write_file(graph, R"({"schema": 1, "model": "m", "batch": 1, "layers": [
    {"name": "a", "op": "eltwise", "inputs": [], "cost": "measured", "problems": ["relu/1x8"],
     "precision": "bf16"},
    {"name": "b", "op": "eltwise", "inputs": [0], "cost": "measured", "problems": ["relu/1x8"],
     "precision": "fp32"}]})");
  std::vector<std::string> flags{"--graph=" + graph.string(), "--benchmark_list_tests=true",
                                 "--algorithms=best", "--layout=nchw"};
  EXPECT_EQ(run(flags).out, "relu/1x8/fp32/nchw/fake/direct\nrelu/1x8/bf16/nchw/fake/direct\n");
  flags.emplace_back("--precision=bf16");
  EXPECT_EQ(run(flags).out, "relu/1x8/bf16/nchw/fake/direct\n");
}

// A file that stores a layer's tensors as bytes: the others are measured at what is asked for.
TEST_F(Suite, WhatAFileStoresAsInt8IsMeasuredAtInt8) {
  const auto graph = folder / "m.graph.json";
  write_file(graph, R"({"schema": 1, "model": "m", "batch": 1, "layers": [
    {"name": "a", "op": "Relu", "inputs": [], "cost": "measured", "problems": ["relu/1x8"],
     "precision": "int8"},
    {"name": "b", "op": "Relu", "inputs": [0], "cost": "measured", "problems": ["relu/2x8"]},
    {"name": "c", "op": "Relu", "inputs": [1], "cost": "measured", "problems": ["relu/1x8"]}]})");
  std::vector<std::string> flags{"--graph=" + graph.string(), "--benchmark_list_tests=true",
                                 "--algorithms=best", "--layout=nchw", "--precision=bf16"};
  EXPECT_EQ(run(flags).out,
            "relu/1x8/bf16/nchw/fake/direct\nrelu/1x8/int8/nchw/fake/direct\n"
            "relu/2x8/bf16/nchw/fake/direct\n");
}

TEST_F(Suite, AGraphFileThatIsNoneIsOneLine) {
  const auto graph = folder / "m.graph.json";
  const std::string flag = "--graph=" + graph.string();
  expect_error(run({flag}), "m.graph.json: ");
  for (const char* const text :
       {"{", "[]", "{\"layers\": []}", "{\"schema\": 1, \"model\": \"m\", \"layers\": [{}]}"}) {
    write_file(graph, text);
    expect_error(run({flag}), "m.graph.json: is not a graph file");
  }
  write_file(graph, R"({"schema": 3, "layers": []})");
  expect_error(run({flag}), "has schema 3, not 1 or 2; write it with benanza-generate");
  write_file(graph, R"({"schema": 1, "model": "m", "layers": [
    {"name": "b", "op": "Identity", "inputs": [], "cost": "free", "problems": []}]})");
  expect_error(run({flag}), "names no problem");
}

// Two runs crash with a signal each; the third measures the rest. Their stdout is not checked.
TEST_F(Suite, ACrashIsARowAndTheNextRunGoesOnWithoutTheVariant) {
  const std::vector<std::string> arguments{"--problem=gelu/1x8", "--problem=relu/1x8",
                                           "--layout=nchw,plain", out_flag()};
  for (const char* const algorithm : {"segfault", "abort"}) {
    const Finished crashed = run(arguments);
#ifdef __SANITIZE_ADDRESS__
    EXPECT_NE(crashed.status, 0);
#else
    EXPECT_EQ(crashed.status, std::string(algorithm) == "abort" ? -SIGABRT : -SIGSEGV);
#endif
    EXPECT_THAT(crashed.err, HasSubstr("bench_fake: crashed at gelu/1x8/fp32/plain/fake/" +
                                       std::string(algorithm) + "; start again"));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  const Finished finished = run(arguments);
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("4 variants: 2 measured before"));
  std::map<std::string, std::string> outcomes;
  for (const Json& row : rows()) {
    outcomes[row.at("name")] = row.value("reason", std::string(row.at("status")));
  }
  EXPECT_THAT(outcomes, ElementsAre(Pair("gelu/1x8/fp32/plain/fake/abort", HasSubstr("crashed")),
                                    Pair("gelu/1x8/fp32/plain/fake/segfault", HasSubstr("crashed")),
                                    Pair("relu/1x8/fp32/nchw/fake/direct", "ok"),
                                    Pair("relu/1x8/fp32/nchw/fake/strided", "ok")));
}

TEST_F(Suite, AHangIsARowAndTheNextRunGoesOnWithoutTheVariant) {
  const std::vector<std::string> arguments{"--problem=mish/1x8", "--problem=relu/1x8",
                                           "--layout=nchw,plain", out_flag()};
  const Finished hung = run(arguments);
  EXPECT_EQ(hung.status, -SIGALRM);
  EXPECT_THAT(hung.err, HasSubstr("bench_fake: hung at mish/1x8/fp32/plain/fake/hangs; start "
                                  "again with the same flags to go on without it"));
  const Finished finished = run(arguments);
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("3 variants: 1 measured before"));
  const Json all = rows();
  const Json row = *std::find_if(all.begin(), all.end(), [](const Json& one) {
    return one.at("name") == "mish/1x8/fp32/plain/fake/hangs";
  });
  EXPECT_EQ(row.at("status"), "failed");
  EXPECT_EQ(row.at("reason"), "hung: no answer in time");
}

TEST_F(Suite, ACrashWithoutAFileIsSaidAllTheSame) {
  EXPECT_THAT(run({"--problem=gelu/1x8"}).err, HasSubstr("crashed at gelu/1x8"));
}

TEST_F(Suite, AFullDiskIsOneLineAndKeepsWhatIsThere) {
  // Leaves room for the journal's first lines only.
  const Finished full = run_program({.arguments = {out_flag(), all_relu}, .file_size_limit = 2500});
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(lines(full.err).back(), AllOf(HasSubstr("bench_fake: "),
                                            HasSubstr(".journal: cannot write: File too large")));
  EXPECT_FALSE(std::filesystem::exists(file));
  const std::string journal = read_file(file.string() + ".journal");
  EXPECT_EQ(journal.back(), '\n');
  const auto kept = std::count(journal.begin(), journal.end(), '\n') - 1;
  EXPECT_GE(kept, 2);
  EXPECT_LT(kept, 12);

  const Finished resumed = run({out_flag(), all_relu});
  EXPECT_EQ(resumed.status, 0);
  EXPECT_THAT(resumed.err, HasSubstr(std::to_string(kept) + " measured before"));
  EXPECT_EQ(names().size(), 12U);
}

TEST_F(Suite, ADiskThatFillsUpWhenTheFileIsWrittenKeepsTheJournal) {
  // The journal's lines fit, but the file, which also has the context, does not.
  const std::string filter = "--benchmark_filter=relu/1x8.*nchw.*direct";
  const Finished full = run_program({.arguments = {out_flag(), filter}, .file_size_limit = 900});
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(lines(full.err).back(), HasSubstr("r.json: cannot write: File too large"));
  EXPECT_EQ(folder.entries(), 1);  // the journal, and no partial file
  EXPECT_THAT(run({out_flag(), filter}).err, HasSubstr("1 measured before"));
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(Suite, TwoProcessesDoNotShareAFile) {
  Program first(held_after(0, {out_flag(), all_relu}));
  await_gate();
  expect_error(run({out_flag(), all_relu}), "another process");
  first.send(SIGKILL);
}

}  // namespace
}  // namespace benanza::harness
