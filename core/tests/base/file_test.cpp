#include "core/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/tests/folder.h"

namespace benanza {
namespace {

namespace fs = std::filesystem;

class Files : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    make_directories(folder_);
  }
};

TEST_F(Files, WriteThenReadGivesTheSameBytes) {
  const std::string text("a\0b\r\n", 5);
  write_file(folder_ / "x", text);
  EXPECT_EQ(read_file(folder_ / "x"), text);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Files, UnchangedContentKeepsTheTimestamp) {
  EXPECT_TRUE(write_file_if_changed(folder_ / "x", "one"));
  const auto stamp = fs::last_write_time(folder_ / "x");
  EXPECT_FALSE(write_file_if_changed(folder_ / "x", "one"));
  EXPECT_EQ(fs::last_write_time(folder_ / "x"), stamp);
  EXPECT_TRUE(write_file_if_changed(folder_ / "x", "two"));
  EXPECT_EQ(read_file(folder_ / "x"), "two");
}

TEST_F(Files, ErrorsNameThePath) {
  for (const fs::path& path : {folder_ / "missing", folder_}) {
    try {
      read_file(path);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
  EXPECT_THROW(write_file(folder_ / "no" / "such" / "x", "text"), Error);
}

TEST_F(Files, DevicesAndPipesAreNotReplaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_file(pipe, "text"), Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(Files, LinksAreFollowed) {
  write_file(folder_ / "file", "old");
  fs::create_symlink("file", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "file"), "new");
}

}  // namespace
}  // namespace benanza
