// Rotary embeddings: one graph that reads and writes the halves of rows in place.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/rotary.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

GraphsOf graphs_of(const char* key) { return bound(rotary_graphs, shape_of<Rotary>(key)); }

TEST(RotaryGraph, SecondHalvesBeginInsideTheOperands) {
  const char* key = "rotary/1x32x128x64_t1x1x128x64";
  const auto calls = graphs_of(key)(variant(key, Precision::fp16));
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
  const auto calls = graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0].stages.front().tensors, SizeIs(2));
}

TEST(RotaryGraph, NeighboursAreReadWithAStride) {
  const char* key = "rotary/1x12x128x64_t1x1x128x64_interleaved";
  const auto calls = graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].stages.front().tensors, SizeIs(4));
  for (const GraphCall::Tensor& part : calls[0].stages.front().tensors) EXPECT_EQ(part.offset, 1);
}

TEST(RotaryGraph, SaysWhatItCannotDo) {
  for (const auto& [key, precision] :
       {std::pair{"rotary/2x4x128x64_t2x1x128x64",
                  Precision::fp16},  // three axes of rows
                                     // Neighbours: an entry per point, and one for all heads behind
                                     // the positions.
        std::pair{"rotary/1x12x128x64_t1x1x128x32_interleaved", Precision::fp16},
        std::pair{"rotary/1x128x12x64_t1x128x1x64_interleaved", Precision::fp16},
        std::pair{"rotary/1x4x128x64_t1x1x128x64", Precision::int8}}) {
    EXPECT_THROW(graphs_of(key)(variant(key, precision)), harness::Unsupported) << key;
  }
}

TEST_F(H100, HasEnginesForRotations) {
  for (const char* key :
       {"rotary/1x32x128x64_t1x1x128x64", "rotary/1x8x128x128_t1x1x128x64",
        "rotary/4x32x128x64_t1x1x128x64", "rotary/2x128x32x64_t2x128x1x32",
        "rotary/1x4x1x64_t1x1x1x64", "rotary/1x12x128x16_t1x1x128x16",
        "rotary/1x4x128x8_t1x1x128x8", "rotary/1x12x128x64_t1x1x128x64_interleaved"}) {
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
      EXPECT_THAT(names(graphs_of(key), variant(key, precision)), Not(IsEmpty())) << key;
    }
  }
}

}  // namespace
}  // namespace benanza::cudnn
