#include "record/capture/cupti/windows.h"

#include <gtest/gtest.h>

namespace benanza::record {
namespace {

TEST(Windows, HoldWhatBeganInside) {
  Windows windows;
  EXPECT_FALSE(windows.contains(5));
  windows.open(10);
  EXPECT_FALSE(windows.contains(9));
  EXPECT_TRUE(windows.contains(10));
  EXPECT_TRUE(windows.contains(1'000'000));
  windows.close(20);
  EXPECT_TRUE(windows.contains(19));
  EXPECT_FALSE(windows.contains(20));
  windows.open(30);
  EXPECT_TRUE(windows.contains(15));
  EXPECT_FALSE(windows.contains(25));
  EXPECT_TRUE(windows.contains(35));
}

TEST(Windows, AreOfABoundedNumber) {
  Windows windows;
  for (std::int64_t at = 0; at < 70'000; ++at) {
    windows.open(10 * at);
    windows.close(10 * at + 5);
  }
  EXPECT_FALSE(windows.contains(3));
  EXPECT_TRUE(windows.contains(300'003));
  EXPECT_TRUE(windows.contains(699'993));
  EXPECT_FALSE(windows.contains(699'996));
}

}  // namespace
}  // namespace benanza::record
