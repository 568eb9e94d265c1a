// The seeds of fuzzing, and inputs that once failed: each results in a graph or in one Error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/import.h"
#include "generator/onnx/read/read.h"

namespace benanza::onnx {
namespace {

class Fuzz : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Fuzz, EndsInAGraphOrInOneLine) {
  const std::string bytes = read_file(GetParam());
  for (const std::optional<std::int64_t> batch : {std::optional<std::int64_t>{}, {1}, {2}, {3}}) {
    try {
      import_model(parse_model(bytes, "seed"), "seed", {.batch = batch, .dims = {}}, "seed");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("seed: "));
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
    }
  }
}

std::vector<std::filesystem::path> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA "/fuzz")) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string seed_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Fuzz, testing::ValuesIn(seeds()), seed_name);

}  // namespace
}  // namespace benanza::onnx
