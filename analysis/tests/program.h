#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "analysis/tests/folder.h"

namespace benanza::test {

/// One run of benanza-analyze.
struct Outcome {
  std::string arguments;
  int status = 0;
  std::string out;
  std::string err;
};

/// Runs benanza-analyze as a user does.
inline Outcome run_program(const std::string& arguments, const Folder& folder) {
  const auto out = folder.path() / "out.txt";
  const auto err = folder.path() / "err.txt";
  const std::string line =
      std::string(BENANZA_ANALYZE) + " " + arguments + " >" + out.string() + " 2>" + err.string();
  const int status = std::system(line.c_str());
  return {.arguments = arguments,
          .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = contents(out),
          .err = contents(err)};
}

/// Fails unless the program printed exactly one line, on standard error.
inline void expect_error(const Outcome& outcome, const std::string& says) {
  EXPECT_NE(outcome.status, 0) << outcome.arguments;
  EXPECT_EQ(outcome.out, "") << outcome.arguments;
  EXPECT_THAT(outcome.err,
              testing::AllOf(testing::StartsWith("benanza-analyze: "), testing::HasSubstr(says)))
      << outcome.arguments;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

}  // namespace benanza::test
