#include "core/base/at_once.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace benanza {
namespace {

TEST(AtOnce, RunsEveryIndexOnce) {
  std::vector<int> runs(1000, 0);
  at_once(runs.size(), [&](std::size_t index) { ++runs[index]; });
  EXPECT_EQ(runs, std::vector(1000, 1));
  at_once(0, [](std::size_t) { FAIL(); });
}

TEST(AtOnce, ThrowsWhatTheFirstThrewAfterAllAreDone) {
  std::vector<int> runs(100, 0);
  std::string message;
  try {
    at_once(runs.size(), [&](std::size_t index) {
      ++runs[index];
      if (index % 30 == 7) throw std::runtime_error(std::to_string(index));
    });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "7");
  EXPECT_EQ(runs, std::vector(100, 1));
}

}  // namespace
}  // namespace benanza
