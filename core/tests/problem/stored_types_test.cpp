// Weights that a file stores in fewer bits than they are multiplied in.
#include "core/problem/stored_types.h"

#include <gmock/gmock.h>

#include "core/problem/least_work.h"
#include "core/problem/problem.h"

namespace benanza {
namespace {

const std::string base = "gemm/m1_n1024_k1024_nt_w";

TEST(PackedWeights, ArePartOfTheKey) {
  for (const char* const suffix :
       {"_packed.int4.b32", "_packed.uint4.b32.z", "_packed.int8.c", "_packed.int8.c.z",
        "_packed.fp8", "_packed.fp4.b16", "_packed.nf4.b64", "_packed.int2.b64",
        "_packed.int4.b32.a8", "_packed.uint8.b32.z.a8"}) {
    EXPECT_EQ(key(parse(base + suffix)), base + suffix);
  }
  EXPECT_EQ(parse(base + "_relu_packed.int4.b32").packed->block, 32) << "behind the steps";
  EXPECT_EQ(parse("conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_packed.int8.c").packed->per_column,
            true);
  for (const char* const wrong :
       {"_packed.int3", "_packed.int4.b0", "_packed.int4.b32.c", "_packed.int4.x", "_packed.",
        "_packed.int4.z.b32", "_packed.int4.a8.b32", "_packed.int4.b32.a4"}) {
    EXPECT_THROW(parse(base + wrong), std::invalid_argument) << wrong;
  }
  EXPECT_THROW(parse("gemm/m1_n8_k8_nt_packed.int8.c"), std::invalid_argument) << "no weights";
  EXPECT_THROW(parse("relu/8_packed.int8.c"), std::invalid_argument);
  const std::string attention = "attention/1x12x128x64_k12x128x64_s0.125";
  EXPECT_NO_THROW(parse(attention + "_packed.fp8"));
  EXPECT_THROW(parse(attention + "_packed.fp8.a8"), std::invalid_argument);
}

// 1024 x 1024 weights of 4 bits, 32,768 scales of 2 bytes and as many zero points of 4 bits.
TEST(PackedWeights, AreReadAsTheyAreStored) {
  const auto bytes = [](const std::string& suffix) {
    return work(parse(base + suffix), Precision::fp16).bytes_read - 1024 * 2;
  };
  EXPECT_EQ(bytes(""), 1024 * 1024 * 2);
  EXPECT_EQ(bytes("_packed.int4.b32"), 524288 + 65536);
  EXPECT_EQ(bytes("_packed.uint4.b32.z"), 524288 + 65536 + 16384);
  EXPECT_EQ(bytes("_packed.int8.c"), 1048576 + 2048);
  EXPECT_EQ(bytes("_packed.fp8"), 1048576 + 2);
  EXPECT_EQ(bytes("_packed.int2.b64"), 262144 + 32768);
  EXPECT_EQ(least_bytes(parse(base + "_packed.int4.b32"), Precision::fp16),
            524288 + 65536 + 2 * 2048);
}

TEST(PackedWeights, SayWhatTheyAre) {
  EXPECT_EQ(parse(base + "_packed.uint4.b32.z").packed->text(),
            "uint4 weights in blocks of 32, with zero points");
  EXPECT_EQ(parse(base + "_packed.int8.c").packed->text(), "int8 weights with a scale per column");
}

// Weights of bytes: 2 directions x 16 rows x (3 inputs + 4 units), and a scale of 2 bytes for each
// operand, or for each of 32 rows. The rest at fp16: 5 x 2 x 3 inputs.
TEST(PackedWeights, OfARecurrenceAreBothOperands) {
  const std::string base = "lstm/t5_n2_i3_h4_l1_bidirectional_packed.int8";
  EXPECT_EQ(packed_bytes(parse(base), 2), 224 + 2 * 2);
  EXPECT_EQ(packed_bytes(parse(base + ".c"), 2), 224 + 2 * 32 * 2);
  EXPECT_EQ(work(parse(base), Precision::fp16).bytes_read, 224 + 2 * 2 + 30 * 2);
}

// Two caches of 3 sequences, 2 heads, 9 keys and 8 elements, with a scale each; queries of 16 bits.
TEST(PackedKeysAndValues, AreReadAsTheirCacheStoresThem) {
  const std::string base = "attention/3x4x1x8_k2x9x8_s0.5_packed.";
  const Problem problem = parse(base + "fp8");
  EXPECT_EQ(key(problem), base + "fp8");
  EXPECT_EQ(packed_text(problem), "fp8 keys and values");
  EXPECT_EQ(packed_bytes(problem, 2), 2 * (3 * 2 * 9 * 8 + 2));
  EXPECT_EQ(work(problem, Precision::bf16).bytes_read, 3 * 4 * 8 * 2 + 2 * (3 * 2 * 9 * 8 + 2));
  for (const char* const blocks : {"int4.b32", "int8.c"}) {
    EXPECT_THROW(parse(base + blocks), std::invalid_argument) << blocks;
  }
}

}  // namespace
}  // namespace benanza
