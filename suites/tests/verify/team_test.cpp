#include "suites/verify/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace benanza::verify {
namespace {

constexpr std::int64_t plenty = std::int64_t{1} << 30;

TEST(Team, DoesEveryPartOnce) {
  Team team;
  for (const std::int64_t products : {std::int64_t{1}, plenty}) {
    for (const std::int64_t count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      for (int piece = 0; piece < 3; ++piece) {
        team.in_parts(count, products, [&](std::int64_t begin, std::int64_t end) {
          for (; begin < end; ++begin) ++done[static_cast<std::size_t>(begin)];
        });
      }
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 3);
    }
  }
}

TEST(Team, EndsBeforeTheNextPieceBegins) {
  Team team;
  std::vector<std::int64_t> values(64, 1);
  for (int piece = 0; piece < 200; ++piece) {
    const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    ASSERT_EQ(sum, 64 * (piece + 1));
    team.in_parts(64, plenty, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) ++values[static_cast<std::size_t>(begin)];
    });
  }
}

TEST(ForEachIndex, DoesEachOnce) {
  // The first index takes longer than all others on one thread.
  std::vector<std::atomic<int>> done(500);
  for_each_index(done.size(), [&](std::size_t i) {
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++done[i];
  });
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  for_each_index(0, [](std::size_t) { FAIL(); });
}

TEST(ForEachIndex, PassesOnWhatIsThrown) {
  for (const std::size_t bad : {0, 40}) {
    EXPECT_THROW(for_each_index(50,
                                [&](std::size_t i) {
                                  std::this_thread::sleep_for(std::chrono::microseconds(100));
                                  if (i == bad) throw std::runtime_error("bad");
                                }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace benanza::verify
