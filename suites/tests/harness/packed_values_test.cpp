#include "suites/harness/packed_values.h"

#include <gmock/gmock.h>

#include "suites/harness/each_group.h"
#include "suites/verify/inputs.h"

namespace benanza::harness {
namespace {

using testing::ElementsAre;

TEST(PackedValues, AreMultiplesOfTheLargestPowerOfTwo) {
  // Two columns of four weights, in blocks of two: 3 and -5 halves, 2 and 6, 7 and -8, 0.25 and
  // 0.5.
  const Gemm shape{.m = 1,
                   .n = 2,
                   .k = 4,
                   .transpose_b = true,
                   .batch_a = {},
                   .batch_b = {},
                   .constant_b = true};
  const PackedWeights packed{.type = PackedType::int4, .block = 2};
  const PackedValues stored =
      packed_values(std::vector<float>{1.5, -2.5, 2, 6, 7, -8, 0.25, 0.5}, shape, packed);
  EXPECT_THAT(stored.scales, ElementsAre(0.5, 2, 1, 0.25));
  EXPECT_THAT(stored.weights, ElementsAre(3, -5, 1, 3, 7, -8, 1, 2));
  EXPECT_THAT(in_halves(stored.weights),
              ElementsAre(std::byte{0xB3}, std::byte{0x31}, std::byte{0x87}, std::byte{0x21}));
}

TEST(PackedValues, OfAMatrixStoredRowByRowAreStoredColumnByColumn) {
  const Gemm shape{.m = 1, .n = 2, .k = 3, .batch_a = {}, .batch_b = {}, .constant_b = true};
  const std::vector<float> rows{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(packed_values(rows, shape, {.type = PackedType::int8, .per_column = true}).weights,
              ElementsAre(1, 3, 5, 1, 2, 3));
  const PackedValues for_all = packed_values(rows, shape, {.type = PackedType::int8});
  EXPECT_THAT(for_all.weights, ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(for_all.scales, ElementsAre(1));
}

TEST(PackedValues, RefusesWhatTheTypeCannotHold) {
  const Gemm shape{.m = 1, .n = 1, .k = 2, .batch_a = {}, .batch_b = {}, .constant_b = true};
  EXPECT_THROW(packed_values(std::vector<float>{1, 8}, shape, {.type = PackedType::int4}),
               std::invalid_argument);
  EXPECT_THROW(packed_values(std::vector<float>{1, 5}, shape, {.type = PackedType::fp4}),
               std::invalid_argument)
      << "behind 4 comes 6";
  EXPECT_THROW(packed_values(std::vector<float>{1, -1}, shape, {.type = PackedType::uint4}),
               std::invalid_argument);
}

TEST(PackedValues, RangesOfTheirTypes) {
  const auto range = [](PackedType type, bool zero_points = false) {
    const HeldRange held = held_range({.type = type, .block = 32, .zero_points = zero_points});
    return std::pair(held.least, held.most);
  };
  EXPECT_EQ(range(PackedType::int4), std::pair(-8.0F, 7.0F));
  EXPECT_EQ(range(PackedType::uint4), std::pair(0.0F, 15.0F));
  EXPECT_EQ(range(PackedType::uint4, true), std::pair(-8.0F, 7.0F)) << "0 to 15, less 8";
  EXPECT_EQ(range(PackedType::uint2, true), std::pair(-2.0F, 1.0F));
  EXPECT_EQ(range(PackedType::fp4), std::pair(-4.0F, 4.0F));
  EXPECT_EQ(range(PackedType::nf4), std::pair(-1.0F, 1.0F));
  EXPECT_EQ(range(PackedType::fp8), std::pair(-16.0F, 16.0F)) << "17 needs a fourth bit";
}

// What a suite checks packed weights with: every type holds it, and neighbours have other scales.
TEST(PackedValues, HoldsTheValuesThatCallsAreCheckedWith) {
  for (const char* const key :
       {"gemm/m2_n8_k64_nt_w_packed.int4.b32", "gemm/m2_n8_k64_nn_w_relu_packed.int2.b16",
        "gemm/m2_n8_k64_nn_w_bias_packed.int8.c", "gemm/m2_n8_k64_nt_w_packed.int4",
        "gemm/m2_n8_k64_nt_w_packed.uint4.b32.z", "gemm/m2_n8_k64_nt_w_packed.uint8.b32.z",
        "gemm/m2_n8_k64_nt_w_packed.uint2.b32.z", "gemm/m2_n8_k64_nt_w_packed.uint4.b32",
        "gemm/m2_n8_k64_nt_w_packed.fp8.b32", "gemm/m2_n8_k64_nt_w_packed.fp4.b16",
        "gemm/m2_n8_k64_nt_w_packed.nf4.b32"}) {
    const Problem problem = parse(key);
    // At fp32, other operands have all their bits.
    const auto values = verify::inputs_for(problem, Precision::fp32, 7);
    EXPECT_EQ(verify::inputs_for(problem, Precision::fp16, 7)[packed_operand],
              values[packed_operand]);
    const auto& shape = std::get<Gemm>(problem.shape);
    const PackedValues stored = packed_values(values[packed_operand], shape, *problem.packed);
    EXPECT_EQ(std::ssize(stored.weights), shape.n * shape.k) << key;
    EXPECT_EQ(std::ranges::count(stored.weights, 0), 0) << key;
    if (stored.scales.size() == 1) continue;
    EXPECT_NE(stored.scales[0], stored.scales[1]) << key;
  }
}

TEST(PackedValues, TheScalesOfAGroupsColumnsDiffer) {
  const Problem problem = parse("grouped_gemm/g2x1_m3x1_n8_k64_nn_packed.int4.b32");
  const auto& grouped = std::get<GroupedGemm>(problem.shape);
  const auto values = verify::inputs_for(problem, Precision::fp16, 7)[packed_operand];
  ASSERT_EQ(values.size(), 3 * 8 * 64);
  for (std::size_t group = 0; group < 3; ++group) {
    const auto matrix = std::span(values).subspan(group * 8 * 64, 8 * 64);
    const PackedValues stored =
        packed_values(matrix, product_of_group(grouped, 1), *problem.packed);
    EXPECT_NE(stored.scales[0], stored.scales[1]);
    EXPECT_NE(stored.scales[0], stored.scales[2]);
  }
}

}  // namespace
}  // namespace benanza::harness
