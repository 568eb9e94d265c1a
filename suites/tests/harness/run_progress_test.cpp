#include "suites/harness/report/progress.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/tests/folder.h"

namespace benanza::harness {
namespace {

TEST(RunProgress, IsInAFile) {
  const test::Folder folder;
  const auto read = [&] { return nlohmann::json::parse(read_file(folder / "progress.json")); };
  RunProgress progress(folder / "progress.json", 6, 2);
  EXPECT_EQ(read().at("rows"), 6);
  EXPECT_EQ(read().at("before"), 2);
  EXPECT_EQ(read().at("done"), 0);
  progress.begin("a");
  progress.begin("b");
  progress.leave_out();
  progress.finish();
  EXPECT_EQ(read().at("done"), 3);
}

}  // namespace
}  // namespace benanza::harness
