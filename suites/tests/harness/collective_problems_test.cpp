#include "suites/harness/choose/collective_problems.h"
#include "suites/harness/machine_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;

CollectiveOptions taken(std::vector<std::string> words, std::vector<std::string>* left = nullptr) {
  words.insert(words.begin(), "bench");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const CollectiveOptions options = take_collective_options(count, arguments.data());
  if (left != nullptr) left->assign(arguments.begin(), arguments.begin() + count);
  EXPECT_EQ(arguments[static_cast<std::size_t>(count)], nullptr);
  return options;
}

TEST(CollectiveOptions, AreTakenOutOfTheCommandLine) {
  std::vector<std::string> left;
  const CollectiveOptions options =
      taken({"--smoke", "--ranks=2,8", "--min-bytes=1K", "--max-bytes=2M", "--cold"}, &left);
  EXPECT_EQ(options, (CollectiveOptions{{2, 8}, 1024, 2 << 20}));
  EXPECT_THAT(left, ElementsAre("bench", "--smoke", "--cold"));
}

TEST(CollectiveOptions, RefuseWhatIsNoNumber) {
  for (const char* const flag : {"--ranks=", "--ranks=1", "--ranks=2,", "--ranks=two",
                                 "--max-bytes=", "--max-bytes=0", "--min-bytes=12X", "--steps=0"}) {
    EXPECT_THROW(taken({flag}), Error) << flag;
  }
}

TEST(CollectiveKeys, ArePowersOfTwoAndDeepBenchs) {
  // 256 KiB and 512 KiB are 65536 and 131072 elements; DeepBench's smallest has 100000.
  const auto keys = collective_keys({.ranks = {2}, .min_bytes = 200 << 10, .max_bytes = 512 << 10});
  EXPECT_THAT(keys,
              ElementsAre("all_reduce/65536_r2", "all_reduce/100000_r2", "all_reduce/131072_r2",
                          "all_gather/65536_r2", "all_gather/131072_r2", "reduce_scatter/65536_r2",
                          "reduce_scatter/131072_r2", "broadcast/65536_r2", "broadcast/131072_r2",
                          "all_to_all/65536_r2", "all_to_all/131072_r2"));
}

TEST(CollectiveKeys, StepsLieBetweenPowersOfTwo) {
  EXPECT_EQ(taken({"--steps=2"}).steps, 2);
  // 1024 * sqrt(2) is 1448.2 bytes; the nearest multiple of 64 is 1472 = 23 * 64.
  const auto keys =
      collective_keys({.ranks = {2}, .min_bytes = 1024, .max_bytes = 2048, .steps = 2});
  EXPECT_EQ(keys[0], "all_reduce/256_r2");
  EXPECT_EQ(keys[1], "all_reduce/368_r2");
  EXPECT_EQ(keys[2], "all_reduce/512_r2");
  EXPECT_EQ(keys[3], "all_gather/256_r2");
}

TEST(CollectiveKeys, PartsAreWhole) {
  const auto keys = collective_keys({.ranks = {3}, .min_bytes = 256, .max_bytes = 256});
  EXPECT_THAT(keys, ElementsAre("all_reduce/64_r3", "all_gather/66_r3", "reduce_scatter/66_r3",
                                "broadcast/64_r3", "all_to_all/66_r3"));
}

TEST(CollectiveKeys, AllOfDeepBenchsAreThere) {
  const auto keys = collective_keys({.ranks = {2}});
  // 256 B to 512 MiB are 22 powers of two; 4194304 is one of them.
  EXPECT_EQ(keys.size(), 5U * 22 + 6);
}

TEST(BytesText, HasThreeDigits) {
  EXPECT_EQ(bytes_text(17), "17 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{512} << 20), "512 MiB");
  EXPECT_EQ(bytes_text(std::int64_t{85024112640}), "79.2 GiB");
  EXPECT_EQ(bytes_text(100), "100 B");
  EXPECT_EQ(bytes_text(512.0 * 1024 * 1024), "512 MiB");
  EXPECT_EQ(bytes_text(3.25 * 1024 * 1024 * 1024), "3.25 GiB");
}

}  // namespace
}  // namespace benanza::harness
