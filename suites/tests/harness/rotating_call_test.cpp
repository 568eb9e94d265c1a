#include "suites/harness/run/rotating_call.h"

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

TEST(RotatingCopies, FillTwiceTheCache) {
  EXPECT_THAT(rotating_copies(product, Precision::fp32, 240), Optional(10));
  EXPECT_THAT(rotating_copies(product, Precision::fp32, 250), Optional(11)) << "500 of 48";
  EXPECT_THAT(rotating_copies(product, Precision::fp16, 240), Optional(20));
  EXPECT_THAT(rotating_copies(product, Precision::fp32, 1), Optional(2)) << "larger than the cache";
}

TEST(RotatingCopies, AreNotAskedOfSmallWeightsOrNone) {
  EXPECT_THAT(rotating_copies(product, Precision::fp32, 24 * 128), Optional(128));
  EXPECT_EQ(rotating_copies(product, Precision::fp32, 24 * 128 + 1), std::nullopt);
  EXPECT_EQ(rotating_copies(parse("gemm/m2_n4_k3_nn"), Precision::fp32, 240), std::nullopt);
  EXPECT_EQ(rotating_copies(product, Precision::fp32, 0), std::nullopt) << "cache unknown";
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
