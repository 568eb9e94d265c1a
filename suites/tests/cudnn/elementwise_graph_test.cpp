// Elementwise functions as graphs: the graphs given to the library, and the engines it offers for a
// described H100.
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/ops/binary.h"
#include "suites/cudnn/ops/graphs.h"
#include "suites/tests/cases/case_tests.h"
#include "suites/tests/cudnn/h100.h"
#include "suites/tests/cudnn/told_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

GraphsOf elementwise_graphs_of(const Activation& shape) { return bound(activation_graphs, shape); }
GraphsOf elementwise_graphs_of(const Binary& shape) { return bound(binary_graphs, shape); }
GraphsOf elementwise_graphs_of(const Select& shape) { return bound(select_graphs, shape); }

/// The extents of the graph's own tensors: operands, then the result.
std::vector<Dims> extents(const GraphCall& call) {
  std::vector<Dims> found;
  for (const auto id : call.bound) found.push_back(extents_in(call.graph(), id));
  return found;
}

TEST(ActivationGraph, ElementsAreAMatrix) {
  const char* gelu = "gelu/2x128x3072";
  const GraphCall call =
      only(elementwise_graphs_of(shape_of<Activation>(gelu))(variant(gelu, Precision::fp16)));
  EXPECT_THAT(extents(call), ElementsAre(Dims{6144, 128, 1, 1}, Dims{6144, 128, 1, 1}));
  EXPECT_THROW(
      elementwise_graphs_of(shape_of<Activation>("sign/1x8"))(variant("sign/1x8", Precision::fp16)),
      harness::Unsupported);
}

TEST(ActivationGraph, StepsAreBesideTheirOperands) {
  // Squeeze and excitation: 2 images, 8 channels, 9 pixels.
  const char* scaled = "swish/2x8x3x3_a1_mul_y2x8x1x1";
  const auto all = [&](Layout layout) {
    return extents(only(elementwise_graphs_of(shape_of<Activation>(scaled))(
        variant(scaled, Precision::fp16, layout))));
  };
  EXPECT_THAT(all(Layout::nhwc), ElementsAre(Dims{2, 9, 8}, Dims{2, 1, 8}, Dims{2, 9, 8}));
  EXPECT_THAT(all(Layout::nchw),
              ElementsAre(Dims{16, 9, 1, 1}, Dims{16, 1, 1, 1}, Dims{16, 9, 1, 1}));
}

TEST(ElementwiseGraph, InnermostAxisIsTheChannel) {
  const auto formatted = [](const Dims& dims) {
    return innermost_as_channels(Precision::fp16, dims);
  };
  EXPECT_EQ(formatted({8, 3}), (nvidia::TensorFormat{Precision::fp16, {8, 3, 1, 1}, {3, 1, 3, 3}}));
  EXPECT_EQ(formatted({5, 7, 3}),
            (nvidia::TensorFormat{Precision::fp16, {5, 3, 7, 1}, {21, 1, 3, 3}}));
  EXPECT_EQ(formatted({2, 5, 7, 3}),
            (nvidia::TensorFormat{Precision::fp16, {2, 3, 5, 7}, {105, 1, 21, 3}}));
  EXPECT_THAT(formatted({6}).dims, ElementsAre(1, 6, 1, 1));
  EXPECT_THAT(formatted({}).dims, ElementsAre(1, 1, 1, 1));
}

// Others of three axes are computed wrongly: they are given in the form for which there is no
// engine.
TEST(ElementwiseGraph, ThreeAxesAreRowMajorIfOnlyTheMiddleOneIsBroadcast) {
  const auto strides = [](const std::vector<Dims>& tensors) {
    std::vector<Dims> found;
    const std::vector<Precision> precisions(tensors.size(), Precision::fp16);
    for (const auto& format : merged_formats(precisions, tensors)) found.push_back(format.strides);
    return found;
  };
  EXPECT_THAT(strides({{5, 7, 3}, {5, 1, 3}, {5, 7, 3}}),
              ElementsAre(Dims{21, 3, 1}, Dims{3, 3, 1}, Dims{21, 3, 1}));
  EXPECT_THAT(strides({{5, 7, 3}, {5, 1, 3}, {1, 1, 1}, {5, 7, 3}}),
              ElementsAre(SizeIs(3), SizeIs(3), Dims{1, 1, 1}, SizeIs(3)));
  for (const Dims& other : {Dims{1, 7, 1}, Dims{1, 1, 3}, Dims{5, 1, 1}}) {
    EXPECT_THAT(strides({{5, 7, 3}, {5, 1, 3}, other, {5, 7, 3}}), Each(SizeIs(4)));
  }
}

// Two halves of rows of 16, 5 rows; the result is dense.
TEST(ElementwiseGraph, TensorsMayHaveStridesOfTheCallers) {
  const char* key = "swish/1x5x8_a1_mul_y1x5x8";
  const auto shape = shape_of<Activation>(key);
  harness::Variant strided = variant(key, Precision::fp16);
  strided.strides.operands = {{80, 16, 1}, {80, 16, 1}};
  const GraphCall call = only(elementwise_graphs_of(shape)(strided));
  EXPECT_EQ(call.strided_axes, 3);
  EXPECT_THAT(extents(call), Each(Dims{1, 5, 8}));
  EXPECT_THAT(call.inputs[1].strides, ElementsAre(80, 16, 1));
  const auto formats = strided_formats({Precision::fp16, Precision::fp16}, {{2, 5, 8}, {2, 5, 8}},
                                       {{80, 16, 1}, {}});
  EXPECT_EQ(formats[0], (nvidia::TensorFormat{Precision::fp16, {1, 10, 8}, {160, 16, 1}}));
  EXPECT_EQ(formats[1], (nvidia::TensorFormat{Precision::fp16, {1, 10, 8}, {80, 8, 1}}));
  const auto turned =
      strided_formats({Precision::fp16, Precision::fp16}, {{2, 5, 8}, {2, 5, 8}}, {{8, 16, 1}, {}});
  EXPECT_EQ(turned[0], (nvidia::TensorFormat{Precision::fp16, {2, 5, 8}, {8, 16, 1}}));
  EXPECT_EQ(turned[1], (nvidia::TensorFormat{Precision::fp16, {2, 5, 8}, {40, 8, 1}}));
}

TEST(ElementwiseGraph, TensorsThatAreBroadcastAreDense) {
  const char* key = "add/1x5x8_1x1x8";
  const auto shape = shape_of<Binary>(key);
  harness::Variant strided = variant(key, Precision::fp16);
  EXPECT_EQ(only(elementwise_graphs_of(shape)(strided)).strided_axes, 0);
  strided.strides.operands = {{80, 16, 1}, {}};
  EXPECT_THROW(elementwise_graphs_of(shape)(strided), harness::Unsupported);
}

TEST(ElementwiseGraph, MatricesAreAsWideAsATile) {
  EXPECT_THAT(as_matrix(25690112), ElementsAre(200704, 128));
  EXPECT_THAT(as_matrix(64 * 49), ElementsAre(49, 64));
  EXPECT_THAT(as_matrix(1000), ElementsAre(8, 125));
  EXPECT_THAT(as_matrix(32 * 49), ElementsAre(14, 112));
  EXPECT_THAT(as_matrix(7), ElementsAre(1, 7));
  EXPECT_THAT(as_matrix(1), ElementsAre(1, 1));
  EXPECT_THAT(as_matrix(25557032), ElementsAre(3194629, 8));
  EXPECT_THAT(as_matrix(10007), ElementsAre(1, 10007));
  EXPECT_THAT(as_matrix(4256233), ElementsAre(4256233, 1));
}

TEST(BinaryGraph, NeighbouringAxesThatAreBroadcastAlikeAreOne) {
  const auto dims = [](const char* key, Layout layout) {
    return extents(
        only(elementwise_graphs_of(shape_of<Binary>(key))(variant(key, Precision::fp16, layout))));
  };
  const char* bias = "add/2x64x56x56_1x64x1x1_w";
  EXPECT_THAT(dims(bias, Layout::nchw),
              ElementsAre(Dims{2, 3136, 64, 1}, Dims{1, 1, 64, 1}, Dims{2, 3136, 64, 1}));
  EXPECT_THAT(dims(bias, Layout::nhwc),
              ElementsAre(Dims{6272, 64, 1, 1}, Dims{1, 64, 1, 1}, Dims{6272, 64, 1, 1}));
  const Dims matrix{8, 128, 1, 1};
  EXPECT_THAT(dims("mul/4x4x8x8_4x4x8x8", Layout::nchw), ElementsAre(matrix, matrix, matrix));
  EXPECT_THAT(dims("mul/4x4x8x8_1x1x1x1", Layout::nchw),
              ElementsAre(matrix, Dims{1, 1, 1, 1}, matrix));
  // Both are broadcast.
  EXPECT_THAT(dims("sub/8x1_1x4", Layout::plain),
              ElementsAre(Dims{8, 1, 1, 1}, Dims{1, 4, 1, 1}, Dims{8, 4, 1, 1}));
}

// The harness uploads operands in the order of the problem's axes.
TEST(BinaryGraph, OperandsLieAsTheLayoutSays) {
  const char* bias = "add/2x64x56x56_1x64x1x1_w";
  const GraphCall call = only(
      elementwise_graphs_of(shape_of<Binary>(bias))(variant(bias, Precision::fp16, Layout::nhwc)));
  EXPECT_THAT(call.inputs.at(0).dims, ElementsAre(2, 64, 56, 56));
  EXPECT_THAT(call.inputs.at(0).strides, ElementsAre(200704, 1, 3584, 64));
  EXPECT_THAT(call.inputs.at(1).dims, ElementsAre(1, 64, 1, 1));
  EXPECT_EQ(call.output, call.inputs.at(0));
}

TEST(SelectGraph, TheConditionMayBeStoredInBytes) {
  const char* key = "select/1x1x8x8_va0_b1x12x8x8";
  const auto calls = elementwise_graphs_of(shape_of<Select>(key))(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].prefix, "");
  EXPECT_EQ(calls[0].inputs.at(0).precision, Precision::fp16);
  EXPECT_EQ(calls[1].prefix, "bytes.");
  EXPECT_EQ(calls[1].inputs.at(0).precision, Precision::int8);
  EXPECT_EQ(calls[1].inputs.at(0).dims, (Dims{1, 1, 8, 8}));
  EXPECT_EQ(calls[1].inputs.at(1).precision, Precision::fp16);
  EXPECT_EQ(calls[1].output.precision, Precision::fp16);
  EXPECT_THAT(calls[1].bound, SizeIs(3));
}

// For four-byte data the listed configs fail to compile.
TEST_F(H100, SelectsWithoutSettingsInFourBytes) {
  for (const harness::Case& one : harness::cases_in(CASES, "selections")) {
    if (one.expected != harness::Expectation::ok || one.algorithm != "engine*") continue;
    const Precision precision = one.precision.value();
    const bool is_wide = precision == Precision::fp32 || precision == Precision::tf32;
    const harness::Variant asked{one.problem, precision, Layout::plain, {}};
    EXPECT_THAT(names(elementwise_graphs_of(std::get<Select>(one.problem.shape)), asked),
                Contains("engine1").Times(is_wide ? 1 : 0))
        << harness::text_of(one);
  }
}

// A short run uses only the first one.
TEST_F(H100, TakesTheStridesOfHalvesOfRowsAndOfHeads) {
  const auto all = [&](const char* key, std::vector<Dims> strides) {
    harness::Variant strided = variant(key, Precision::fp16);
    strided.strides.operands = std::move(strides);
    return names(elementwise_graphs_of(shape_of<Activation>(key)), strided);
  };
  EXPECT_THAT(all("swish/1x512x14336_a1_mul_y1x512x14336",
                  {{512 * 28672, 28672, 1}, {512 * 28672, 28672, 1}}),
              Contains("engine1.k24=37"));
  EXPECT_THAT(all("swish/8x1x1024_a1_mul_y8x1x1024", {{2048, 2048, 1}, {2048, 2048, 1}}),
              Not(IsEmpty()));
  EXPECT_THAT(all("relu/1x32x512x64", {{0, 64, 6144, 1}}), Not(IsEmpty()));
  EXPECT_THROW(all("relu/2x32x512x64", {{512 * 6144, 64, 6144, 1}}), harness::Unsupported);
  EXPECT_THAT(all("relu/8x1024", {{2048, 1}}), Not(IsEmpty()));
}

TEST_F(H100, OffersFirstWhatCompiles) {
  const char* key = "select/1x12x128x128_va0_b1x12x128x128";
  for (const auto set : {harness::AlgorithmSet::best, harness::AlgorithmSet::leading}) {
    const auto found =
        names(elementwise_graphs_of(shape_of<Select>(key)), variant(key, Precision::fp32), set);
    ASSERT_THAT(found, Not(IsEmpty()));
    EXPECT_EQ(found.front(), "engine1");
  }
}

}  // namespace
}  // namespace benanza::cudnn
