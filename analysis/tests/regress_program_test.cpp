#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/tests/folder.h"

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

/// Builds whose suite does what a shell script says.
struct RegressProgram : testing::Test {
  fs::path build(const std::string& script) const {
    const fs::path program = folder.write("build/bin/bench_onednn", "#!/bin/sh\n" + script);
    ::chmod(program.c_str(), 0755);
    return folder / "build";
  }
  /// The gate at work on the script's suite, with `temporary` for its temporary files.
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

// The suite would take a minute, and ends as soon as it is told to.
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

// Threads that wait busily for each other's turn on one processor take a thousand times as long.
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

// An older suite, say.
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

}  // namespace
}  // namespace benanza::regress
