#include <gtest/gtest.h>

#include "core/problem/problem.h"

namespace benanza {
namespace {

Work fp32(const char* key) { return work(parse(key), Precision::fp32); }

TEST(Work, ConvolutionCountsTwoPerMultiplyAdd) {
  // 1x64x112x112 outputs, 3 * 7 * 7 products each.
  const Work w = fp32("conv/1x3x224x224_k64x7x7_p3.3.3.3_s2x2_d1x1_g1");
  EXPECT_EQ(w.flops, 2.0 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_EQ(w.bytes_read, 4 * (3 * 224 * 224 + 64 * 3 * 7 * 7));
  EXPECT_EQ(w.bytes_written, 4 * 64 * 112 * 112);
}

TEST(Work, CollectivesCountEveryRanksTensors) {
  const Work sum = fp32("all_reduce/12_r3");  // 12 elements of 3 ranks: 2 additions each
  EXPECT_EQ(sum.flops, 24);
  EXPECT_EQ(sum.bytes_read, 4 * 3 * 12);
  EXPECT_EQ(sum.bytes_written, 4 * 3 * 12);
  const Work parts = fp32("reduce_scatter/12_r3");
  EXPECT_EQ(parts.flops, 24);
  EXPECT_EQ(parts.bytes_written, 4 * 12);
  EXPECT_EQ(fp32("all_gather/12_r3").bytes_read, 4 * 12);
  EXPECT_EQ(fp32("broadcast/12_r3").bytes_read, 4 * 12);
  EXPECT_EQ(fp32("broadcast/12_r3").bytes_written, 4 * 3 * 12);
  EXPECT_EQ(fp32("all_to_all/12_r3").flops, 0);
}

TEST(BusFactor, IsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_gather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_to_all, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::broadcast, 8), 1);
}

TEST(Work, BiasAddsOnePerOutputAndDoesNotDouble) {
  const Work plain = fp32("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  const Work biased = fp32("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1_bias");
  EXPECT_EQ(biased.flops - plain.flops, 4 * 6 * 6);
  EXPECT_EQ(biased.bytes_read - plain.bytes_read, 4 * 4);
}

TEST(Work, EveryStepOfAnEpilogueAddsOnePerOutputAndTheResidualIsRead) {
  // 4 x 6 x 6 outputs of a 3 x 3 kernel over 8 x 8.
  const Work plain = fp32("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  const Work fused = fp32("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu");
  EXPECT_EQ(fused.flops - plain.flops, 3 * 4 * 6 * 6);
  EXPECT_EQ(fused.bytes_read - plain.bytes_read, 4 * (4 + 4 * 6 * 6));
  EXPECT_EQ(fused.bytes_written, plain.bytes_written);
}

TEST(Work, EveryStepAddsOnePerOutputAndItsTensorIsRead) {
  const Work plain = fp32("add/2x8x6_2x8x6");
  const Work fused = fp32("add/2x8x6_2x8x6_relu_mul_y2x8x1_add_y1x1x1_w");
  EXPECT_EQ(fused.flops - plain.flops, 3 * 2 * 8 * 6);
  EXPECT_EQ(fused.bytes_read - plain.bytes_read, 4 * (2 * 8 + 1));
  EXPECT_EQ(fused.bytes_written, plain.bytes_written);
}

TEST(Work, DilationDoesNotInflate) {
  // 9x9 under a 3x3 kernel dilated by 2 gives 5x5, as does 7x7 undilated.
  EXPECT_EQ(fp32("conv/1x1x9x9_k1x3x3_p0.0.0.0_s1x1_d2x2_g1").flops,
            fp32("conv/1x1x7x7_k1x3x3_p0.0.0.0_s1x1_d1x1_g1").flops);
}

TEST(Work, GroupsDivideTheProducts) {
  EXPECT_EQ(fp32("conv/1x32x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g32").flops, 2.0 * 32 * 64 * 9);
}

TEST(Work, TransposedConvolutionCountsEveryInputPixelOnce) {
  // 49 pixels of 64 channels, each into 4 * 4 pixels of 32 / 2 filters.
  const Work w = fp32("deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g2");
  EXPECT_EQ(w.flops, 2.0 * 49 * 64 * 16 * 16);
  EXPECT_EQ(w.bytes_read, 4 * (64 * 49 + 64 * 16 * 16));
  EXPECT_EQ(w.bytes_written, 4 * 32 * 14 * 14);
}

TEST(Work, ZerosOfASparseMatrixCostNothing) {
  // 20 of 8 x 5 elements, three rows of 5; four-byte indices, and 8 + 1 row offsets.
  const Work w = fp32("spmm/m8_n3_k5_z20");
  EXPECT_EQ(w.flops, 2 * 20 * 3);
  EXPECT_EQ(w.bytes_read, 4 * 3 * 5 + 20 * (4 + 4) + 9 * 4);
  EXPECT_EQ(w.bytes_written, 4 * 3 * 8);
  EXPECT_EQ(work(parse("spmm/m8_n3_k5_z20"), Precision::fp16).bytes_read,
            2 * 3 * 5 + 20 * 6 + 9 * 4);
}

TEST(Work, RecurrenceCountsProductsGatesAndStates) {
  // 5 steps of 2 entries, 2 directions of 4 units: 80 times 4 gates with 3 + 4 products, 9
  // functions and sums, and 4 additions of a bias.
  const Work w = fp32("lstm/t5_n2_i3_h4_l1_bidirectional_bias_final");
  EXPECT_EQ(w.flops, 80.0 * (2 * 4 * (3 + 4) + 9 + 4));
  EXPECT_EQ(w.bytes_read, 4 * (5 * 2 * 3 + 2 * 16 * 3 + 2 * 16 * 4 + 2 * 32));
  EXPECT_EQ(w.bytes_written, 4 * (5 + 2) * 16);
  EXPECT_EQ(fp32("gru/t1_n1_i3_h4_l1_forward_lbr_bias").flops, 4.0 * (2 * 3 * (3 + 4) + 8 + 4));
  // The second layer reads both directions of the first.
  EXPECT_EQ(fp32("rnntanh/t1_n1_i3_h4_l2_bidirectional").flops,
            8.0 * (2 * (3 + 4) + 1 + 2 * (8 + 4) + 1));
}

TEST(Work, GlobalPoolingIsNotFree) {
  EXPECT_EQ(fp32("avgpool/1x2048x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude").flops, 2048 * 49);
}

TEST(Work, PrecisionSetsBytesOnly) {
  const Problem p = parse("gemm/m2_n3_k4_nn");
  EXPECT_EQ(work(p, Precision::fp32).flops, 48);
  EXPECT_EQ(work(p, Precision::fp32).bytes(), 4 * (8 + 12 + 6));
  EXPECT_EQ(work(p, Precision::fp16).bytes(), 2 * (8 + 12 + 6));
  EXPECT_EQ(work(p, Precision::int8).bytes(), 8 + 12 + 6);
}

TEST(Work, OfAnyWindowIsNoNegativeNumber) {
  // 64 elements, each twice the neighbours and three more operations.
  EXPECT_EQ(fp32("lrn/1x64_n5_a1e-04_b0.75_k1").flops, 64 * 13);
  EXPECT_GT(fp32("lrn/1x64_n281474976710656_a1e-04_b0.75_k1").flops, 64 * 5e14);
}

TEST(Work, ATruthValueIsOneByteAndANumberNone) {
  const Problem p = parse("select/1x8x8_va0_b4x8x8");
  EXPECT_EQ(work(p, Precision::fp32).flops, 256);
  EXPECT_EQ(work(p, Precision::fp32).bytes_read, 64 + 4 * 256);
  EXPECT_EQ(work(p, Precision::fp16).bytes_read, 64 + 2 * 256);
  EXPECT_EQ(work(p, Precision::fp16).bytes_written, 2 * 256);
}

TEST(Work, OfARotationAreTwoProductsAndASum) {
  const Problem p = parse("rotary/1x4x8x16_t1x1x8x8");
  EXPECT_EQ(work(p, Precision::fp32).flops, 3 * 512);
  EXPECT_EQ(work(p, Precision::fp16).bytes_read, 2 * (512 + 64 + 64));
  EXPECT_EQ(work(p, Precision::fp16).bytes_written, 2 * 512);
}

TEST(Work, SixtyFourBitBytes) {
  // 70,000 x 70,000 floats are 19.6 GB.
  EXPECT_EQ(fp32("relu/70000x70000").bytes_read, 19'600'000'000);
}

TEST(Shapes, PadsAreAllBeginsThenAllEnds) {
  // Height 5 + 1 + 3, width 5 + 2 + 4, kernel 3.
  EXPECT_EQ(output(parse("conv/1x1x5x5_k1x3x3_p1.2.3.4_s1x1_d1x1_g1")), (Dims{1, 1, 7, 9}));
}

TEST(Shapes, TransposedConvolutionGrowsByItsStride) {
  // (5 - 1) * 3 + 2 * (3 - 1) + 1 - 1 - 2 = 14; (6 - 1) * 1 + 2 - 0 + 1 = 8.
  EXPECT_EQ(output(parse("deconv/1x8x5x6_k4x3x2_p1.0.2.-1_s3x1_d2x1_g1")), (Dims{1, 4, 14, 8}));
}

TEST(Shapes, RecurrenceGivesItsSequenceAndTheLastStates) {
  EXPECT_EQ(results(parse("lstm/t5_n2_i3_h4_l3_bidirectional_final")),
            (std::vector<Dims>{{5, 2, 2, 4}, {6, 2, 4}, {6, 2, 4}}));
  EXPECT_EQ(output(parse("lstm/t5_n2_i3_h4_l3_bidirectional_final")), (Dims{5 + 6, 16}));
  EXPECT_EQ(results(parse("gru/t5_n3_i3_h4_l1_forward_batchfirst")),
            (std::vector<Dims>{{3, 5, 1, 4}}));
  EXPECT_EQ(results(parse("relu/2x3")), (std::vector<Dims>{{2, 3}}));
}

TEST(Shapes, WeightsOfSeveralLayersFollowEachOther) {
  // Layer 0: 2 * 4 rows of 3; layer 1: of 8.
  EXPECT_EQ(inputs(parse("rnntanh/t1_n1_i3_h4_l2_bidirectional"))[1].dims, (Dims{24 + 64}));
  EXPECT_EQ(inputs(parse("lstm/t1_n1_i3_h4_l1_bidirectional"))[1].dims, (Dims{2, 16, 3}));
}

TEST(Shapes, GemmBroadcastsItsBatches) {
  const Problem p = parse("gemm/m7_n5_k3_tn_a4x1_b1x6");
  EXPECT_EQ(output(p), (Dims{4, 6, 7, 5}));
  EXPECT_EQ(inputs(p)[0].dims, (Dims{4, 1, 3, 7}));
  EXPECT_EQ(inputs(p)[1].dims, (Dims{1, 6, 3, 5}));
}

TEST(Shapes, ConcatAddsUpItsAxis) {
  EXPECT_EQ(output(parse("concat/1x64x28x28_1x128x28x28_a1")), (Dims{1, 192, 28, 28}));
}

TEST(Shapes, SelectBroadcastsAllThree) {
  EXPECT_EQ(output(parse("select/2x1x1_a1x3x1_b1x1x4")), (Dims{2, 3, 4}));
  EXPECT_EQ(output(parse("select/2x1x1_va0_b1x1x4")), (Dims{2, 1, 4}));
}

TEST(Select, ANumberIsNoOperand) {
  const auto operands = inputs(parse("select/1x8_w_va0_b4x8_w"));
  ASSERT_EQ(operands.size(), 2U);
  EXPECT_EQ(
      operands[0],
      (Operand{
          .name = "condition", .dims = {1, 8}, .role = Role::weights, .domain = Domain::truth}));
  EXPECT_EQ(operands[1], (Operand{.name = "b", .dims = {4, 8}, .role = Role::weights}));
  EXPECT_TRUE(inputs(parse("select/8_va0_vb1")).size() == 1);
}

TEST(Copies, CanonicalFormMergesAxesWalkedInOrder) {
  // A dense 2x3x4 tensor copied to a dense one is one run of 24 elements.
  const Dims dims{2, 3, 4};
  const Copy dense{dims, dense_strides(dims), dense_strides(dims)};
  EXPECT_EQ(dense.canonical(), (Copy{{24}, {1}, {1}}));
  // Channels 1 to 2 of 1x4x5x5: one run of 50.
  const Copy slice{{1, 2, 5, 5}, {100, 25, 5, 1}, {50, 25, 5, 1}};
  EXPECT_EQ(slice.canonical(), (Copy{{50}, {1}, {1}}));
  // A transpose of 2x3 keeps both axes.
  const Copy transpose{{3, 2}, {1, 3}, {2, 1}};
  EXPECT_EQ(transpose.canonical(), transpose);
}

TEST(Copy, TranspositionsChangeTheOrderOfChannels) {
  // 2 images of 3 channels and 4 pixels, to channels last and back.
  EXPECT_EQ(transposition(2, 3, 4), (Copy{{2, 4, 3}, {12, 1, 4}, {12, 3, 1}}));
  EXPECT_EQ(transposition(2, 4, 3), (Copy{{2, 3, 4}, {12, 1, 3}, {12, 4, 1}}));
  EXPECT_EQ(transposition(1, 3, 4), (Copy{{4, 3}, {1, 4}, {3, 1}}));
  EXPECT_EQ(transposition(2, 1, 4), std::nullopt);
  EXPECT_EQ(transposition(2, 3, 1), std::nullopt);
}

TEST(Copies, CountWhatMovesNotWhatTheViewSpans) {
  const Problem p = parse("copy/2x3_f100.1_t3.1");
  EXPECT_EQ(inputs(p)[0].dims, (Dims{103}));
  EXPECT_EQ(output(p), (Dims{6}));
  EXPECT_EQ(work(p, Precision::fp32).bytes(), 4 * (6 + 6));
}

// Each pixel becomes four: counted four times, its read would take longer than the call.
TEST(Copies, ReadRepeatedElementsOnce) {
  const Work enlarged = work(parse("copy/6x2x4x2_f4.0.1.0_t16.8.2.1"), Precision::fp16);
  EXPECT_EQ(enlarged.bytes_read, 2 * 24);
  EXPECT_EQ(enlarged.bytes_written, 2 * 96);
}

TEST(ProductFlops, AreTwoForEachMultiplyAdd) {
  const auto multiply_adds = [](const char* key) { return product_flops(parse(key)) / 2; };
  EXPECT_EQ(multiply_adds("gemm/m2_n3_k4_nn_bias_relu"), 2 * 3 * 4);
  // 8x8 results of 32 channels, each of 4 channels of 3x3.
  const double convolution = 64 * 32 * 4 * 9;
  EXPECT_EQ(multiply_adds("conv/1x32x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g8"), convolution);
  EXPECT_EQ(multiply_adds("conv_bwd_filter/1x32x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g8_bias"),
            convolution);
  // 12 heads of 128 queries and keys; products of 64 with queries and keys, and with values.
  const double attention = 12.0 * 128 * 128 * (64 + 64);
  EXPECT_EQ(multiply_adds("attention/1x12x128x64_k12x128x64_s0.125"), attention);
  EXPECT_EQ(multiply_adds("attention_bwd/1x12x128x64_k12x128x64_s0.125"), 2 * attention);
  // 5 steps, 2 sequences, 2 directions, 4 gates of 4 by 3 + 4.
  const double recurrence = 5 * 2 * 2 * 4 * 4 * (3 + 4);
  EXPECT_EQ(multiply_adds("lstm/t5_n2_i3_h4_l1_bidirectional"), recurrence);
  EXPECT_EQ(multiply_adds("relu/8"), 0);
  EXPECT_EQ(multiply_adds("layernorm/128x768_e1e-05_sb"), 0);
}

TEST(ReductionLength, IsTheNumberOfSummedProducts) {
  EXPECT_EQ(reduction_length(parse("conv/1x32x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g8")), 4 * 9);
  EXPECT_EQ(reduction_length(parse("gemm/m2_n3_k4_nn")), 4);
  // Taps 0 and 2, or 1 and 3, of each axis meet; with dilation 2, all of them do.
  EXPECT_EQ(reduction_length(parse("deconv/1x8x5x5_k4x4x4_p0.0.0.0_s2x2_d1x1_g1")), 8 * 4);
  EXPECT_EQ(reduction_length(parse("deconv/1x8x5x5_k4x3x4_p0.0.0.0_s2x2_d2x1_g2")), 4 * 3 * 2);
  EXPECT_EQ(reduction_length(parse("reducemean/4x5x6_a1.2")), 30);
  EXPECT_EQ(reduction_length(parse("reducemax/4x5x6_a1.2")), 1);
  EXPECT_EQ(reduction_length(parse("relu/8")), 1);
  EXPECT_EQ(reduction_length(parse("lstm/t5_n2_i3_h4_l1_bidirectional")), 3 + 4);
  EXPECT_EQ(reduction_length(parse("lstm/t5_n2_i3_h4_l2_bidirectional")), 8 + 4);
}

TEST(Reduction, ReducedAxesMayBeAdjacentInMemory) {
  using Extents = std::array<std::int64_t, 3>;
  const auto adjacent = [](Dims input, Dims axes, bool channels_last) {
    return Reduction{ReductionKind::sum, std::move(input), std::move(axes)}.adjacent(channels_last);
  };
  EXPECT_EQ(adjacent({2, 3, 4, 5}, {2, 3}, false), (Extents{6, 20, 1}));
  EXPECT_EQ(adjacent({2, 3, 4, 5}, {2, 3}, true), (Extents{2, 20, 3}));
  EXPECT_EQ(adjacent({2, 3, 4, 5}, {1}, false), (Extents{2, 3, 20}));
  EXPECT_EQ(adjacent({2, 3, 4, 5}, {1}, true), (Extents{40, 3, 1}));
  EXPECT_EQ(adjacent({2, 3}, {1}, true), (Extents{2, 3, 1}));
  // An axis of one element lies between no others.
  EXPECT_EQ(adjacent({2, 1, 4}, {0, 2}, false), (Extents{1, 8, 1}));
  EXPECT_EQ(adjacent({2, 3, 4}, {0, 2}, false), std::nullopt);
  EXPECT_EQ(adjacent({2, 3, 4, 5}, {1, 2}, true), std::nullopt);
}

}  // namespace
}  // namespace benanza
