#include "suites/cublas/ops/movement/movement.h"

#include <gmock/gmock.h>

#include "suites/cublas/backend.h"
#include "suites/tests/cublas/copied_elements.h"

namespace benanza::cublas {
namespace {

using testing::ElementsAre;

/// Element (row, column) of a factor: its place from the start of its matrix.
std::int64_t place(const ListedFactor& factor, std::int64_t row, std::int64_t column) {
  return factor.transposed ? column + row * factor.ld : row + column * factor.ld;
}

/// Computes the products as BLAS would. The factor of ones has the shorter list of places: its own.
std::vector<double> identity_product_multiplied(const Copy& copy, const IdentityWay& way,
                                                std::int64_t result_size) {
  const IdentityBatch batch = identity_batch(copy, Precision::fp16, way);
  const BlockMove move = block_move(copy, way.side, way.length, 1000);
  std::vector<double> result(static_cast<std::size_t>(result_size), -1);
  const auto one = [&](const ListedFactor& factor, std::int64_t row, std::int64_t column) {
    // The identity matrix in memory: ones at multiples of its side plus one.
    return place(factor, row, column) % (move.length + 1) == 0 ? 1.0 : 0.0;
  };
  for (std::size_t matrix = 0; matrix < move.sources.size(); ++matrix) {
    const auto source = [&](const ListedFactor& factor, std::int64_t row, std::int64_t column) {
      return static_cast<double>(move.sources[matrix] + place(factor, row, column));
    };
    for (std::int64_t row = 0; row < batch.m; ++row) {
      for (std::int64_t column = 0; column < batch.n; ++column) {
        double sum = 0;
        for (std::int64_t k = 0; k < batch.k; ++k) {
          sum += batch.source_first ? source(batch.first, row, k) * one(batch.second, k, column)
                                    : one(batch.first, row, k) * source(batch.second, k, column);
        }
        result.at(static_cast<std::size_t>(move.results[matrix] + row + column * batch.ld_result)) =
            sum;
      }
    }
  }
  return result;
}

TEST(IdentityBatch, MovesEveryElementToItsPlace) {
  const Copy cases[] = {{{2, 3, 5, 16}, {240, 16, 48, 1}, {240, 80, 16, 1}},  // heads
                        {{2, 24, 40}, {960, 40, 1}, {960, 1, 24}},
                        {{2, 40, 24}, {960, 1, 40}, {960, 24, 1}}};
  for (const Copy& copy : cases) {
    const auto ways = identity_ways(copy, Precision::fp16);
    const std::size_t sides =
        copy.dims.size() == 3 ? 2 : 1;  // of heads, the result's are the source's
    EXPECT_EQ(ways.size(), sides);
    for (const IdentityWay& way : ways) {
      const std::vector<double> result =
          identity_product_multiplied(copy, way, element_count(copy.dims));
      for (const auto& [from, to] : copied_elements(copy)) {
        EXPECT_EQ(result.at(static_cast<std::size_t>(to)), static_cast<double>(from)) << way.text();
      }
    }
  }
}

std::vector<std::string> texts(const Copy& copy, Precision precision) {
  std::vector<std::string> found;
  for (const IdentityWay& way : identity_ways(copy, precision)) {
    found.push_back(way.text());
  }
  return found;
}

TEST(IdentityWays, AreOfBothSidesForATransposition) {
  EXPECT_THAT(texts({{2, 3136, 256}, {802816, 1, 3136}, {802816, 256, 1}}, Precision::fp16),
              ElementsAre("128.result", "64", "64.result", "32", "32.result"));
  EXPECT_THAT(
      texts({{2, 16, 512, 64}, {524288, 64, 1024, 1}, {524288, 32768, 64, 1}}, Precision::fp32),
      ElementsAre("64.words", "64", "32.words", "32"));
  const Copy heads{{2, 16, 512, 64}, {524288, 64, 1024, 1}, {524288, 32768, 64, 1}};
  EXPECT_THAT(texts(heads, Precision::int8), ElementsAre("64", "32"));
  // cublasLtMatrixTransform transposes 32-bit elements.
  EXPECT_THROW(texts({{2, 3136, 256}, {802816, 1, 3136}, {802816, 256, 1}}, Precision::fp32),
               harness::Unsupported);
  EXPECT_THROW(texts({{2, 64, 64}, {4096, 1, 64}, {4096, 64, 1}}, Precision::int8),
               harness::Unsupported);
  // Rows of 12 elements on one side are no reason to refuse the other.
  EXPECT_THAT(texts({{2, 64, 12}, {768, 1, 64}, {768, 12, 1}}, Precision::fp16),
              ElementsAre("64", "32"));
  EXPECT_THAT(texts({{2, 12, 64}, {768, 1, 12}, {768, 64, 1}}, Precision::fp16),
              ElementsAre("64.result", "32.result"));
}

// Columns of 196 elements that begin at every seventh element: a kernel for eight bytes failed.
TEST(IdentityBatch, KnowsWhetherAddressesAreAsAlignedAsColumns) {
  const Copy grid{{2, 2, 7, 7, 256}, {98, 7, 14, 1, 196}, {25088, 12544, 1792, 256, 1}};
  for (const IdentityWay& way : identity_ways(grid, Precision::fp16)) {
    EXPECT_FALSE(is_as_aligned_as_it_looks(identity_batch(grid, Precision::fp16, way)));
  }
  // Of the side that is aligned less.
  const Copy odd{{2, 5, 16}, {87, 17, 1}, {80, 16, 1}};
  const IdentityWay rows{Side::source, 16, Unit::element};
  EXPECT_FALSE(is_as_aligned_as_it_looks(identity_batch(odd, Precision::fp16, rows)));
  const Copy image{{2, 40, 24}, {960, 1, 40}, {960, 24, 1}};
  const IdentityWay channels{Side::result, 24, Unit::element};
  EXPECT_TRUE(is_as_aligned_as_it_looks(identity_batch(image, Precision::fp16, channels)));
}

template <class T>
T read(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute) {
  T value{};
  std::size_t written = 0;
  check(cublasLtMatrixLayoutGetAttribute(layout, attribute, &value, sizeof value, &written), "get");
  return value;
}

TEST(LtBatch, DescribesMatricesAtListedAddresses) {
  // Images of 24 channels x 40 pixels: blocks of 24 channels, the result's contiguous elements.
  const Copy copy{{2, 40, 24}, {960, 1, 40}, {960, 24, 1}};
  const LtBatch batch(identity_batch(copy, Precision::fp16, {Side::result, 24, Unit::element}));
  const LtDescriptors descriptors = batch.descriptors();
  const auto matrix = [](cublasLtMatrixLayout_t layout) {
    EXPECT_EQ(read<std::uint32_t>(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE),
              static_cast<std::uint32_t>(CUBLASLT_BATCH_MODE_POINTER_ARRAY));
    EXPECT_EQ(read<std::int32_t>(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT), 2);
    return std::vector<std::int64_t>{
        static_cast<std::int64_t>(read<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS)),
        static_cast<std::int64_t>(read<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS)),
        read<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_LD)};
  };
  EXPECT_THAT(matrix(descriptors.first), ElementsAre(24, 24, 24));
  EXPECT_THAT(matrix(descriptors.second), ElementsAre(40, 24, 40));  // turned
  EXPECT_THAT(matrix(descriptors.result), ElementsAre(24, 40, 24));
  EXPECT_EQ(descriptors.alignment_bytes, 16);
}

TEST(LtBatch, PromisesTheAlignmentThatAddressesHave) {
  // Rows of 16 elements: the second matrix starts at element 87.
  const Copy copy{{2, 5, 16}, {87, 17, 1}, {80, 16, 1}};
  const auto alignment = [&](Precision precision) {
    const IdentityWay way{Side::source, 16, Unit::element};
    return LtBatch(identity_batch(copy, precision, way)).descriptors().alignment_bytes;
  };
  EXPECT_EQ(alignment(Precision::fp16), 2);
  EXPECT_EQ(alignment(Precision::fp32), 4);
}

TEST(LtBatch, MultipliesBytesWithATransposedIdentity) {
  const Copy heads{{2, 16, 512, 64}, {524288, 64, 1024, 1}, {524288, 32768, 64, 1}};
  const LtBatch batch(identity_batch(heads, Precision::int8, {Side::source, 32, Unit::element}));
  const LtDescriptors descriptors = batch.descriptors();
  for (const auto layout : {descriptors.first, descriptors.second, descriptors.result}) {
    EXPECT_EQ(read<std::uint32_t>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE),
              static_cast<std::uint32_t>(CUDA_R_8I));
  }
  EXPECT_EQ(read<std::uint64_t>(descriptors.first, CUBLASLT_MATRIX_LAYOUT_ROWS), 32U);
  EXPECT_EQ(read<std::int64_t>(descriptors.second, CUBLASLT_MATRIX_LAYOUT_LD), 1024);
  EXPECT_EQ(read<std::int64_t>(descriptors.result, CUBLASLT_MATRIX_LAYOUT_LD), 64);
}

}  // namespace
}  // namespace benanza::cublas
