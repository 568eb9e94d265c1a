// Rotary embeddings: one graph that reads and writes the halves of rows in place.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/graphs.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"
#include "suites/tests/cudnn/told_tensors.h"

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

// 512 tokens' 32 heads, with others' between them; the table is per token.
TEST(RotaryGraph, RowsMayHaveStridesOfTheCallers) {
  const char* key = "rotary/1x32x512x128_t1x1x512x64";
  harness::Variant strided = variant(key, Precision::fp16);
  strided.strides.operands = {{512 * 6144, 128, 6144, 1}, {}, {}};
  const auto calls = rotary_graphs_of(key)(strided);
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].strided_axes, 3);
  EXPECT_THAT(calls[0].inputs[0].strides, ElementsAre(512 * 6144, 128, 6144, 1));
  EXPECT_THAT(calls[0].output.strides, ElementsAre(32 * 512 * 128, 512 * 128, 128, 1));
  EXPECT_THAT(extents_in(calls[0].graph(), calls[0].bound[0]), ElementsAre(32, 512, 64));
  EXPECT_THAT(extents_in(calls[0].graph(), calls[0].bound[1]), ElementsAre(1, 512, 64));
}

TEST_F(H100, RotatesRowsInStrides) {
  const auto all = [&](const char* key, Dims strides) {
    harness::Variant strided = variant(key, Precision::fp16);
    strided.strides.operands = {std::move(strides), {}, {}};
    return names(rotary_graphs_of(key), strided);
  };
  EXPECT_THAT(all("rotary/1x32x512x128_t1x1x512x64", {512 * 6144, 128, 6144, 1}), SizeIs(1));
  EXPECT_THROW(all("rotary/3x32x512x128_t1x1x512x64", {512 * 6144, 128, 6144, 1}),
               harness::Unsupported);
  EXPECT_THAT(all("rotary/8x1x1x128_t1x1x1x64", {6144, 128, 6144, 1}), SizeIs(1));
  EXPECT_THROW(all("rotary/8x32x1x128_t1x1x1x64", {6144, 128, 6144, 1}), harness::Unsupported);
  EXPECT_THAT(all("rotary/8x2x1x64_t8x1x1x32", {768, 64, 768, 1}), SizeIs(1));
}

// In two axes of rows, engines compute wrong results then (9.19, H200).
TEST(RotaryGraph, OneEntryForAllRowsIsForRowsInOneAxis) {
  const char* key = "rotary/8x32x1x128_t1x1x1x64";
  EXPECT_EQ(rotary_graphs_of(key)(variant(key, Precision::fp16))[0].strided_axes, 2);
}

TEST(RotaryGraph, NeighboursAreOfDenseRows) {
  const char* key = "rotary/1x12x128x64_t1x1x128x64_interleaved";
  harness::Variant strided = variant(key, Precision::fp16);
  EXPECT_EQ(rotary_graphs_of(key)(strided)[0].strided_axes, 0);
  strided.strides.operands = {{0, 64, 768, 1}, {}, {}};
  EXPECT_THROW(rotary_graphs_of(key)(strided), harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
