// Rotary embeddings: one graph that reads and writes the halves of rows in place.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/rotary.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

GraphsOf rotary_graphs_of(const char* key) { return bound(rotary_graphs, shape_of<Rotary>(key)); }

TEST(RotaryGraph, SecondHalvesBeginInsideTheOperands) {
  const char* key = "rotary/1x32x128x64_t1x1x128x64";
  const auto calls = rotary_graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0].inputs, SizeIs(3));
  EXPECT_THAT(calls[0].bound, SizeIs(4));
  ASSERT_THAT(calls[0].stages.front().tensors, SizeIs(4));
  std::vector<std::size_t> operands;
  for (const GraphCall::Tensor& part : calls[0].stages.front().tensors) {
    operands.push_back(part.memory);
    EXPECT_EQ(part.offset, 32);
  }
  // 3: the result.
  EXPECT_THAT(operands, ElementsAre(0, 1, 2, 3));
}

TEST(RotaryGraph, TablesOfHalfARowAreReadTwice) {
  const char* key = "rotary/2x128x32x64_t2x128x1x32";
  const auto calls = rotary_graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0].stages.front().tensors, SizeIs(2));
}

TEST(RotaryGraph, NeighboursAreReadWithAStride) {
  const char* key = "rotary/1x12x128x64_t1x1x128x64_interleaved";
  const auto calls = rotary_graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].stages.front().tensors, SizeIs(4));
  for (const GraphCall::Tensor& part : calls[0].stages.front().tensors) EXPECT_EQ(part.offset, 1);
}

}  // namespace
}  // namespace benanza::cudnn
