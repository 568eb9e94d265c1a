#include "record/capture/recorder.h"

#include <gtest/gtest.h>

namespace benanza::record {
namespace {

TEST(Window, IsOpenWhereNobodySaysMore) { EXPECT_TRUE(Window().is_open(0)); }

TEST(Window, FromADelayForADuration) {
  Window window(2, 3, false);
  EXPECT_FALSE(window.is_open(1.99));
  EXPECT_TRUE(window.is_open(2));
  EXPECT_TRUE(window.is_open(4.99));
  EXPECT_FALSE(window.is_open(5));
  EXPECT_FALSE(window.start());
  EXPECT_FALSE(window.stop());
  EXPECT_TRUE(window.is_open(3));
}

TEST(Window, BySignal) {
  Window window(0, std::nullopt, true);
  EXPECT_FALSE(window.is_open(1));
  EXPECT_TRUE(window.start());
  EXPECT_TRUE(window.is_open(2));
  EXPECT_TRUE(window.stop());
  EXPECT_FALSE(window.is_open(3));
  window.start();
  EXPECT_TRUE(window.is_open(4));
}

}  // namespace
}  // namespace benanza::record
