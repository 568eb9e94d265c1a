#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace benanza::test {

/// A test with a place for a folder of its own: nothing is there at first, and afterwards.
class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

}  // namespace benanza::test
