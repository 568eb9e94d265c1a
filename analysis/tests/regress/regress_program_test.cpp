#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/regress/round.h"
#include "analysis/tests/folder.h"
#include "core/tests/folder.h"

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

/// Builds whose suite is a shell script.
struct RegressProgram : testing::Test {
  fs::path build(const std::string& script) const {
    const fs::path program = folder.write("build/bin/bench_onednn", "#!/bin/sh\n" + script);
    ::chmod(program.c_str(), 0755);
    return folder / "build";
  }
  /// Starts the gate on the script's suite, with `temporary` for its temporary files.
  pid_t start(const std::string& script) const {
    const std::string prefix = build(script).string();
    fs::create_directories(temporary);
    std::vector<std::string> words{BENANZA_REGRESS, "--before",  prefix,  "--after",
                                   prefix,          "--backend", "onednn"};
    std::vector<std::string> variables{"TMPDIR=" + temporary.string(), "PATH=/usr/bin:/bin"};
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> list;
      for (std::string& text : texts) list.push_back(text.data());
      list.push_back(nullptr);
      return list;
    };
    const auto argv = pointers(words);
    const auto envp = pointers(variables);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 2, (folder / "err").c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, BENANZA_REGRESS, &actions, nullptr, argv.data(), envp.data()),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    return child;
  }
  void await(const fs::path& file) const {
    for (int tries = 0; !fs::exists(file) && tries < 10'000; ++tries) ::usleep(1'000);
    ASSERT_TRUE(fs::exists(file));
  }

  test::Folder folder;
  fs::path temporary = folder / "tmp";
};

// The suite would take a minute, and ends as soon as it is signalled.
TEST_F(RegressProgram, ASignalEndsTheSuitesAndLeavesNothingBehind) {
  const fs::path started = folder / "started";
  const pid_t gate = start("touch " + started.string() + "\nexec sleep 60\n");
  await(started);
  EXPECT_FALSE(fs::is_empty(temporary));
  ::kill(gate, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(gate, &status, 0), gate);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_TRUE(fs::is_empty(temporary));
  EXPECT_EQ(test::contents(folder / "err"), "benanza-regress: interrupted\n");
}

// Threads that spin while they wait for each other on one processor take a thousand times as long.
TEST_F(RegressProgram, TellsItsSuitesNotToMeasurePeaksAndToBindTheirThreads) {
  const fs::path said = folder / "said";
  const pid_t gate = start("echo \"$BENANZA_PEAKS $OMP_PROC_BIND $GOMP_SPINCOUNT\" >> " +
                           said.string() + "\nexit 1\n");
  int status = 0;
  ASSERT_EQ(::waitpid(gate, &status, 0), gate);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(test::contents(said), testing::StartsWith("none true 10000\n"));
  EXPECT_TRUE(fs::is_empty(temporary));
}

// For example, an older suite.
TEST_F(RegressProgram, SaysWhyASuiteCannotServe) {
  const pid_t gate = start("echo 'bench_onednn: unknown flag \"--serve\"' >&2\nexit 1\n");
  int status = 0;
  ASSERT_EQ(::waitpid(gate, &status, 0), gate);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(test::contents(folder / "err"),
            "benanza-regress: " + (folder / "build/bin/bench_onednn").string() +
                " ended with status 1: bench_onednn: unknown flag \"--serve\"\n");
}

TEST_F(RegressProgram, ASuiteThatEndsTooEarlyIsAnError) {
  const pid_t gate = start("exit 0\n");
  int status = 0;
  ASSERT_EQ(::waitpid(gate, &status, 0), gate);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(test::contents(folder / "err"), testing::HasSubstr("ended before it was told to"));
}

const std::string results =
    test::results_text(test::row("relu/1x8/fp32/nchw/onednn/jit", "[1e-6]"));

// The first two rounds are complete; the third has results, but is not marked as complete.
TEST(KeptRounds, OnlyWholeRoundsAreTakenUpAgain) {
  const test::Folder folder;
  const Measured measured{.graphs = {"a.graph.json"}};
  const KeptRounds kept(folder.path());
  EXPECT_EQ(kept.count(), 0);
  EXPECT_FALSE(kept.find({.number = 0}));
  for (int number = 0; number < 3; ++number) {
    for (const std::string side : {"before", "after"}) {
      folder.write("00" + std::to_string(number) + '_' + side + ".json", results);
    }
  }
  kept.add(measured, {.number = 0});
  kept.add(measured, {.number = 1});
  EXPECT_EQ(kept.count(), 2);
  ASSERT_TRUE(kept.find({.number = 1}));
  EXPECT_EQ(kept.find({.number = 1})->after.size(), 1U);
  EXPECT_FALSE(kept.find({.number = 2}));
  EXPECT_NO_THROW(kept.need_same(measured, {.number = 1}));
  EXPECT_NO_THROW(kept.need_same({}, {.number = 2}));
  EXPECT_THROW(kept.need_same({.graphs = {"b.graph.json"}}, {.number = 1}), Error);
}

TEST(KeptRounds, AFewAreEnoughForALastLook) {
  const GateOptions options{.screening_rounds = 5, .looks = {8, 16, 32}};
  EXPECT_THAT(with_rounds(options, 12).looks, testing::ElementsAre(7));
  EXPECT_THAT(with_rounds(options, 13).looks, testing::ElementsAre(8));
  EXPECT_THAT(with_rounds(options, 20).looks, testing::ElementsAre(8, 15));
  EXPECT_THROW(with_rounds(options, 5), Error);
}

}  // namespace
}  // namespace benanza::regress
