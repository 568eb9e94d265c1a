#include "suites/harness/run/later_passes.h"

#include <gmock/gmock.h>

#include <set>

#include "core/problem/problem.h"

namespace benanza::harness {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

// 2 x 3 times 3 x 4, 48 bytes of weights at fp32.
const Problem product = parse("gemm/m2_n4_k3_nn_w");

struct Cache final : Stopwatch {
  Cache(std::int64_t bytes, bool flushes) : bytes_(bytes), flushes_(flushes) {}
  double time(Primitive&, std::int64_t) override { return 0; }
  double time_cold(Primitive&) override { return 0; }
  std::int64_t cache_bytes() const override { return bytes_; }
  bool knows_flush_seconds() const override { return flushes_; }

 private:
  std::int64_t bytes_;
  bool flushes_;
};

std::optional<Rotation> rotation_of(const Problem& problem, Precision precision,
                                    std::int64_t cache_bytes, bool flushes = false) {
  return rotation(problem, precision, Cache(cache_bytes, flushes));
}

Rotation copies(std::int64_t number) { return {.copies = number}; }

TEST(Rotation, FillsTwiceTheCache) {
  EXPECT_THAT(rotation_of(product, Precision::fp32, 240), Optional(copies(10)));
  EXPECT_THAT(rotation_of(product, Precision::fp32, 250), Optional(copies(11))) << "500 of 48";
  EXPECT_THAT(rotation_of(product, Precision::fp16, 240), Optional(copies(20)));
  EXPECT_THAT(rotation_of(product, Precision::fp32, 1), Optional(copies(2)))
      << "larger than the cache";
}

TEST(Rotation, FlushesWhereWeightsAreSmall) {
  EXPECT_THAT(rotation_of(product, Precision::fp32, 24 * 128, true), Optional(copies(128)));
  EXPECT_EQ(rotation_of(product, Precision::fp32, 24 * 128 + 1), std::nullopt);
  EXPECT_THAT(rotation_of(product, Precision::fp32, 24 * 128 + 1, true),
              Optional(Rotation{.copies = 16, .flushes = true}));
}

TEST(Rotation, NeedsWeightsAndACache) {
  EXPECT_EQ(rotation_of(parse("gemm/m2_n4_k3_nn"), Precision::fp32, 240, true), std::nullopt);
  EXPECT_EQ(rotation_of(product, Precision::fp32, 0, true), std::nullopt) << "cache unknown";
}

// 2 x 3 x 5 x 8 keys and as many values, 960 bytes at fp16; the new keys of as many queries are
// where another call has just written them.
TEST(Rotation, TakesKeysAndValuesOfEarlierTokens) {
  const Problem one = parse("attention/2x6x1x8_k3x5x8_s1");
  EXPECT_THAT(rotation_of(one, Precision::fp16, 960), Optional(copies(2)));
  EXPECT_THAT(rotation_of(one, Precision::fp16, 2400), Optional(copies(5)));
  EXPECT_EQ(rotation_of(parse("attention/2x6x5x8_k3x5x8_s1"), Precision::fp16, 960), std::nullopt);
}

/// Where the calls of a way found their operands, and which call ran.
struct Record {
  std::vector<std::byte*> data;
  std::vector<std::byte*> weights;
  std::vector<std::byte*> results;
  std::vector<int> runs;
  std::vector<int> weight_uploads;
  int data_uploads = 0;
};

class Recorded final : public BareCall {
 public:
  Recorded(Record& record, Operands& operands)
      : record_(record), number_(static_cast<int>(record.data.size())) {
    record.data.push_back(operands.operand(0, 24));
    record.weights.push_back(operands.operand(1, 48));
    record.results.push_back(operands.result(0, 32));
  }
  void upload(std::size_t index, std::span<const float>) override {
    if (index == 0) {
      ++record_.data_uploads;
    } else {
      record_.weight_uploads.push_back(number_);
    }
  }
  void run() override { record_.runs.push_back(number_); }

 private:
  Record& record_;
  int number_;
};

struct Rotated : testing::Test {
  Record record;
  HostAllocator memory;
  Way way{.name = "recorded", .make = [this](Operands& operands) {
            return std::make_unique<Recorded>(record, operands);
          }};
  RotatingCall call{way, product, memory, 3};
};

TEST_F(Rotated, CopiesShareAllButWeights) {
  EXPECT_THAT(std::set(record.data.begin(), record.data.end()), SizeIs(1));
  EXPECT_THAT(std::set(record.results.begin(), record.results.end()), SizeIs(1));
  EXPECT_THAT(std::set(record.weights.begin(), record.weights.end()), SizeIs(3));
}

TEST_F(Rotated, RunsTakeTurns) {
  for (int run = 0; run < 5; ++run) call.run();
  EXPECT_THAT(record.runs, ElementsAre(0, 1, 2, 0, 1));
  EXPECT_EQ(call.round(), 3);
}

TEST_F(Rotated, EveryCopyGetsTheWeights) {
  call.upload(0, {});
  call.upload(1, {});
  EXPECT_EQ(record.data_uploads, 1);
  EXPECT_THAT(record.weight_uploads, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace benanza::harness
