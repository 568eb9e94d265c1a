#include "suites/cublas/ops/movement/movement.h"

#include <gmock/gmock.h>

#include <set>

#include "suites/harness/primitive.h"
#include "suites/tests/cublas/copied_elements.h"

namespace benanza::cublas {
namespace {

using testing::ElementsAre;
using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

/// Where every element comes from and goes to.
Pairs block_move_moved(const BlockMove& move) {
  Pairs pairs;
  for (std::size_t matrix = 0; matrix < move.sources.size(); ++matrix) {
    for (std::int64_t column = 0; column < move.count; ++column) {
      for (std::int64_t row = 0; row < move.length; ++row) {
        // The matrix that is not turned is the one whose side is divided.
        const bool from_turned = move.transposed && move.side == Side::result;
        const bool to_turned = move.transposed && move.side == Side::source;
        const auto place = [&](bool turned, std::int64_t ld) {
          return turned ? row * ld + column : column * ld + row;
        };
        pairs.emplace(move.sources[matrix] + place(from_turned, move.ld_source),
                      move.results[matrix] + place(to_turned, move.ld_result));
      }
    }
  }
  return pairs;
}

Pairs expected_pairs(const Copy& copy) {
  const auto places = copied_elements(copy);
  return {places.begin(), places.end()};
}

TEST(BlockMove, HeadsBeforeTokens) {
  // 2 x 5 tokens x 3 heads x 16 elements.
  const Copy copy{{2, 3, 5, 16}, {240, 16, 48, 1}, {240, 80, 16, 1}};
  const BlockMove move =
      block_move(copy, Side::source, block_lengths(copy, Side::source).front(), 100);
  EXPECT_EQ(move.length, 16);
  EXPECT_EQ(move.count, 5);
  EXPECT_EQ(move.sources.size(), 6);
  EXPECT_EQ(block_move_moved(move), expected_pairs(copy));
}

TEST(BlockMove, LongRowsArePartsOfRows) {
  // Rows of 384 = 3 x 128, of 72 = one part, of 200 = 5 x 40.
  for (const auto& [row, part] : {std::pair{384, 128}, std::pair{72, 72}, std::pair{200, 40}}) {
    const Copy copy{{3, 4, row}, {row, 3L * row, 1}, {4L * row, row, 1}};
    const BlockMove move =
        block_move(copy, Side::source, block_lengths(copy, Side::source).front(), 100);
    EXPECT_EQ(move.length, part);
    EXPECT_EQ(move.count, 4);
    EXPECT_EQ(block_move_moved(move), expected_pairs(copy));
  }
}

TEST(BlockMove, Transpositions) {
  const std::pair<Copy, std::size_t> cases[] = {{{{5, 240}, {240, 1}, {1, 5}}, 2},  // 2 x 120
                                                {{{3, 7, 16}, {112, 16, 1}, {112, 1, 7}}, 3},
                                                {{{16, 7}, {1, 20}, {9, 1}}, 1}};  // of a slice
  for (const auto& [copy, matrices] : cases) {
    const BlockMove move =
        block_move(copy, Side::source, block_lengths(copy, Side::source).front(), 100);
    EXPECT_TRUE(move.transposed);
    EXPECT_EQ(move.sources.size(), matrices);
    EXPECT_EQ(block_move_moved(move), expected_pairs(copy));
  }
}

TEST(BlockMove, TranspositionsInBlocksOfTheResult) {
  const std::pair<Copy, std::size_t> cases[] = {{{{240, 5}, {1, 240}, {5, 1}}, 0},
                                                {{{5, 240}, {1, 5}, {240, 1}}, 2},  // 2 x 120
                                                {{{3, 7, 16}, {112, 1, 7}, {112, 16, 1}}, 3},
                                                {{{7, 16}, {1, 9}, {20, 1}}, 1}};  // of a slice
  for (const auto& [copy, matrices] : cases) {
    if (matrices == 0) {
      EXPECT_THROW(block_lengths(copy, Side::result), harness::Unsupported);
      continue;
    }
    const BlockMove move =
        block_move(copy, Side::result, block_lengths(copy, Side::result).front(), 100);
    EXPECT_EQ(move.sources.size(), matrices);
    EXPECT_EQ(block_move_moved(move), expected_pairs(copy));
  }
  // A copy of rows has the same blocks on both sides.
  EXPECT_TRUE(block_lengths({{3, 4, 64}, {64, 192, 1}, {256, 64, 1}}, Side::result).empty());
}

TEST(BlockMove, LengthsThatAreTriedAreThoseOfTiles) {
  const auto lengths = [](std::int64_t row) {
    return block_lengths({{3, 4, row}, {row, 3 * row, 1}, {4 * row, row, 1}}, Side::source);
  };
  EXPECT_THAT(lengths(384), ElementsAre(128, 64, 32));
  EXPECT_THAT(lengths(64), ElementsAre(64, 32));
  EXPECT_THAT(lengths(96), ElementsAre(32));
  EXPECT_THAT(lengths(72), ElementsAre(72));
  EXPECT_THROW(lengths(12), harness::Unsupported);
}

TEST(BlockMove, PairsOfElementsAreMovedAsOne) {
  const Copy copy{{2, 3, 5, 16}, {240, 16, 48, 1}, {240, 80, 16, 1}};
  const Copy pairs{{2, 3, 5, 8}, {120, 8, 24, 1}, {120, 40, 8, 1}};
  EXPECT_EQ(block_move_moved(in_units(block_move(copy, Side::source, 16, 100), 4, 8)),
            expected_pairs(pairs));
  // Columns that start at odd elements, and a transposition.
  EXPECT_THROW(
      in_units(block_move({{2, 5, 16}, {85, 17, 1}, {80, 16, 1}}, Side::source, 16, 100), 4, 8),
      harness::Unsupported);
  EXPECT_THROW(in_units(block_move({{5, 16}, {16, 1}, {1, 5}}, Side::source, 16, 100), 4, 8),
               harness::Unsupported);
}

BlockMove refused(const Copy& copy, std::size_t most) {
  return block_move(copy, Side::source, block_lengths(copy, Side::source).front(), most);
}

TEST(BlockMove, RefusesWhatHasNoBlocks) {
  // A matrix, elements apart, rows of 12, too many matrices, repeated rows.
  EXPECT_THROW(refused({{4, 16}, {32, 1}, {16, 1}}, 100), harness::Unsupported);
  EXPECT_THROW(refused({{3, 4, 16}, {128, 32, 2}, {64, 16, 1}}, 100), harness::Unsupported);
  EXPECT_THROW(refused({{3, 4, 16}, {64, 16, 1}, {128, 32, 2}}, 100), harness::Unsupported);
  EXPECT_THROW(refused({{3, 4, 12}, {12, 36, 1}, {48, 12, 1}}, 100), harness::Unsupported);
  EXPECT_THROW(refused({{3, 4, 16}, {16, 48, 1}, {64, 16, 1}}, 2), harness::Unsupported);
  EXPECT_THROW(refused({{3, 4, 16}, {16, 0, 1}, {64, 16, 1}}, 100), harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cublas
