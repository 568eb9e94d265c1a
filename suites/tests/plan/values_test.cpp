#include "suites/plan/values.h"

#include <gmock/gmock.h>

#include <cstring>

#include "suites/tests/plan/safetensors.h"

namespace benanza::plan {
namespace {

using benanza::test::error_of;
using benanza::test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Values, AreFoundByName) {
  const Folder folder;
  const Values values(test::write_values(folder, "v", {{"a", {1, 2}}, {"b", {3}}}));
  ASSERT_TRUE(values.find("a"));
  EXPECT_THAT(*values.find("a"), ElementsAre(1, 2));
  EXPECT_THAT(*values.find("b"), ElementsAre(3));
  EXPECT_FALSE(values.find("c"));
}

TEST(Values, ThatAreBrokenAreOneLine) {
  const Folder folder;
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("broken", text);
    return error_of([&] { Values{file}; });
  };
  EXPECT_THAT(error("abc"), HasSubstr("is no file of tensors"));
  EXPECT_THAT(error(std::string("\xff\0\0\0\0\0\0\0{}", 10)), HasSubstr("cut short"));
  EXPECT_THAT(error(std::string("\2\0\0\0\0\0\0\0[1", 10)), HasSubstr("damaged"));
  const std::string header = R"({"a":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}         )";
  EXPECT_THAT(error(std::string("\x40\0\0\0\0\0\0\0", 8) + header.substr(0, 64)),
              HasSubstr("tensor a is not in the file"));
}

std::vector<std::uint16_t> halves(float value, const char* precision) {
  const std::vector<std::byte> bytes = stored(std::vector{value}, precision);
  std::vector<std::uint16_t> words(bytes.size() / 2);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(Stored, RoundsToTheNearest) {
  EXPECT_THAT(halves(1, "bf16"), ElementsAre(0x3F80));
  // 1 + 2^-8 lies between two values of bf16, and goes to the even one; 1 + 3 x 2^-8, too.
  EXPECT_THAT(halves(1 + 0x1p-8F, "bf16"), ElementsAre(0x3F80));
  EXPECT_THAT(halves(1 + 3 * 0x1p-8F, "bf16"), ElementsAre(0x3F82));
  EXPECT_THAT(halves(1.5F, "fp16"), ElementsAre(0x3E00));
  EXPECT_EQ(stored(std::vector{1.0F, 2.0F}, "fp32").size(), 8);
  EXPECT_THAT(error_of([] { stored(std::vector{1.0F}, "int8"); }), HasSubstr("int8"));
}

TEST(Stored, ComesBack) {
  const std::vector<float> values{1.5F, -3, 0.25F};
  for (const char* precision : {"fp32", "bf16", "fp16"}) {
    EXPECT_EQ(floats_of(stored(values, precision), precision), values) << precision;
  }
}

TEST(StoredIndices, AreWholeNumbers) {
  const std::vector<std::byte> bytes = stored_indices(std::vector{-2.0F, 70000.0F}, 4, 70001);
  std::vector<std::int32_t> numbers(2);
  ASSERT_EQ(bytes.size(), 8);
  std::memcpy(numbers.data(), bytes.data(), 8);
  EXPECT_THAT(numbers, ElementsAre(-2, 70000));
  EXPECT_EQ(stored_indices(std::vector{1.0F}, 8, 2).size(), 8);
  EXPECT_THAT(error_of([] { stored_indices(std::vector{0.5F}, 8, 2); }),
              HasSubstr("an index is no whole number"));
  EXPECT_THAT(error_of([] { stored_indices(std::vector{2.0F}, 8, 2); }),
              HasSubstr("index 2 of 2 rows"));
  EXPECT_THAT(error_of([] { stored_indices(std::vector{-3.0F}, 4, 2); }),
              HasSubstr("index -3 of 2 rows"));
}

}  // namespace
}  // namespace benanza::plan
