#include "suites/harness/choose/selection.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/error.h"
#include "suites/harness/choose/variants.h"
#include "suites/tests/harness/fake/fake_backend.h"
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

/// Like the keys of layers: equal except for a few digits. 1, 2, 3, 1, 2, 3... seconds.
std::vector<ShardItem> items(std::size_t count) {
  std::vector<ShardItem> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({"relu/1x" + std::to_string(i), static_cast<double>(i % 3 + 1)});
  }
  return result;
}

std::vector<double> loads(const std::vector<ShardItem>& all, std::size_t count) {
  std::vector<double> result(count);
  const std::vector<std::size_t> shards = assign_shards(all, count);
  for (std::size_t i = 0; i < all.size(); ++i) result.at(shards[i]) += all[i].seconds;
  return result;
}

TEST(ParseShard, CountsFromOne) {
  EXPECT_EQ(parse_shard("2/8").index, 2U);
  EXPECT_EQ(parse_shard("2/8").count, 8U);
  EXPECT_EQ(parse_shard("8/8").index, 8U);
  for (const char* const bad :
       {"", "2", "/", "2/", "/8", "0/8", "9/8", "-1/8", "1/0", "1.5/8", "1/8x", "1/100001"}) {
    EXPECT_THROW(parse_shard(bad), Error) << bad;
  }
}

TEST(AssignShards, NoShardGetsMuchMoreThanTheMean) {
  // 600 seconds: 300 and 75 per shard, and at most 1.1 times that.
  EXPECT_THAT(loads(items(300), 2), Each(AllOf(Ge(270), Le(330))));
  EXPECT_THAT(loads(items(300), 8), Each(Le(82.5)));
}

TEST(AssignShards, DependsOnTheSetAlone) {
  std::vector<ShardItem> all = items(50);
  const std::vector<std::size_t> there = assign_shards(all, 4);
  std::ranges::reverse(all);
  std::vector<std::size_t> back = assign_shards(all, 4);
  std::ranges::reverse(back);
  EXPECT_EQ(there, back);
}

TEST(AssignShards, MoreItemsMoveFewOfThoseBefore) {
  const std::vector<ShardItem> all = items(330);
  const std::vector<std::size_t> before = assign_shards(std::span(all).first(300), 8);
  const std::vector<std::size_t> after = assign_shards(all, 8);
  int moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1 : 0;
  EXPECT_LE(moved, 30);  // round-robin would move seven of eight
}

TEST(AssignShards, WhatFitsNowhereGoesWhereLeastIs) {
  // The mean is 5.5 seconds, and a shard may take at most 6.05: the long item gets its own.
  const std::vector<ShardItem> all{{"a", 10}, {"b", 0.5}, {"c", 0.5}};
  const std::vector<std::size_t> shards = assign_shards(all, 2);
  EXPECT_NE(shards[0], shards[1]);
  EXPECT_EQ(shards[1], shards[2]);
  EXPECT_THAT(loads({{"a", 10}, {"b", 10}, {"c", 10}}, 3), ElementsAre(10, 10, 10));
}

TEST(AssignShards, IsTheSameOnEveryMachine) {
  // Computed by a program in another language.
  EXPECT_THAT(assign_shards(items(8), 3), ElementsAre(2, 0, 0, 1, 2, 1, 1, 2));
}

TEST(PredictedSeconds, GrowWithVariantsAndWork) {
  const auto seconds = [](const char* problem, std::size_t combinations,
                          AlgorithmSet set = AlgorithmSet::all) {
    return predicted_seconds(parse(problem), combinations, set);
  };
  // Four algorithms of 0.05 s each; the work of 8 elements is negligible.
  EXPECT_NEAR(seconds("relu/1x8", 1), 0.2, 1e-6);
  EXPECT_NEAR(seconds("relu/1x8", 6), 1.2, 1e-5);
  EXPECT_NEAR(seconds("relu/1x8", 1, AlgorithmSet::best), 0.05, 1e-6);
  // Six times 2 * 2048^3 / 50e9 = 0.3436 s, 3 * 4 * 2048^2 / 500e6 = 0.1007 s and 0.05 s.
  EXPECT_NEAR(seconds("gemm/m2048_n2048_k2048_nn", 1), 2.966, 0.01);
  EXPECT_EQ(seconds("relu/1x8", 0), 0);
}

constexpr const char* eight_wide[] = {"relu/1x8", "relu/2x8", "relu/3x8", "relu/4x8", "relu/5x8"};

TEST(EnumerateAShard, ShardsHaveEveryVariantOnceAndAProblemsTogether) {
  FakeBackend backend("1");
  const Registration registration{{eight_wide}, {Precision::fp32, Precision::bf16}};
  std::multiset<std::string> all;
  for (const NamedVariant& one : enumerate(backend, registration, {})) all.insert(one.name);
  std::multiset<std::string> of_shards;
  std::map<std::string, std::set<std::size_t>> shards_of_problem;
  for (std::size_t shard = 1; shard <= 3; ++shard) {
    for (const NamedVariant& one :
         enumerate(backend, registration, {.shard = {.index = shard, .count = 3}})) {
      of_shards.insert(one.name);
      shards_of_problem[key(one.variant.problem)].insert(shard);
    }
  }
  EXPECT_EQ(of_shards, all);
  EXPECT_EQ(shards_of_problem.size(), 5U);
  for (const auto& [problem, shards] : shards_of_problem) EXPECT_EQ(shards.size(), 1U) << problem;
}

TEST_F(Suite, ShardsTogetherMeasureWhatOneRunDoes) {
  run({out_flag(), all_relu});
  const std::multiset<std::string> whole = names();
  const Finished fresh = run({out_flag(), all_relu, "--shard=1/2", "--fresh"});
  EXPECT_EQ(fresh.status, 0);
  EXPECT_LT(names().size(), whole.size());
  // Writes to the same file, only in this test: nothing is measured again.
  const Finished other = run({out_flag(), all_relu, "--shard=2/2"});
  EXPECT_THAT(other.err, ::testing::Not(HasSubstr("measured before")));
  EXPECT_EQ(names(), whole);
}

TEST_F(Suite, AnEmptyShardIsNoErrorAndATypingErrorIs) {
  const Finished listed =
      run({"--benchmark_filter=relu/1x8", "--shard=1/2", "--benchmark_list_tests=true"});
  const std::string empty = lines(listed.out).empty() ? "1/2" : "2/2";
  const Finished finished = run({out_flag(), "--benchmark_filter=relu/1x8", "--shard=" + empty});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.err,
            "bench_fake: shard " + empty + " is empty: there are fewer problems than shards\n");
  expect_error(run({"--benchmark_filter=rleu", "--shard=1/2"}), "no benchmark matches the flags");
  expect_error(run({"--shard=0/2"}), "--shard=0/2: give I/N with I from 1 to N, e.g. 2/8");
}

TEST_F(Suite, ShardsOfAnotherSystemAreRefused) {
  const std::string flag = "--one-system=" + (folder / "system.json").string();
  EXPECT_EQ(run({flag, "--benchmark_filter=relu/1x8"}).status, 0);
  EXPECT_EQ(run({flag, "--benchmark_filter=relu/2x8"}).status, 0);
  const Finished other = run_program(
      {.arguments = {flag, out_flag(), all_relu}, .environment = {{"FAKE_THREADS", "8"}}});
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(lines(other.err),
              ElementsAre(AllOf(
                  HasSubstr("with threads = \"1\", and here, on "),
                  HasSubstr("it is \"8\"; leave this machine out, or measure it on its own"))));
  EXPECT_EQ(folder.entries(), 1);
}

TEST_F(Suite, SaysInAFileHowFarItIs) {
  const std::filesystem::path progress = folder / "progress.json";
  const std::string flag = "--progress=" + progress.string();
  run({out_flag(), flag, "--benchmark_filter=relu/1x8"});
  nlohmann::json json = nlohmann::json::parse(read_file(progress));
  EXPECT_EQ(json.at("rows"), 4);
  EXPECT_EQ(json.at("before"), 0);
  EXPECT_EQ(json.at("done"), 4);
  EXPECT_GE(json.at("seconds"), 0);
  run({out_flag(), flag, "--benchmark_filter=relu/[12]x8"});
  json = nlohmann::json::parse(read_file(progress));
  EXPECT_EQ(json.at("rows"), 8);
  EXPECT_EQ(json.at("before"), 4);
  EXPECT_EQ(json.at("done"), 4);
}

}  // namespace
}  // namespace benanza::harness
