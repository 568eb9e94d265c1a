#include "suites/cutensor/permuted_modes.h"

#include <gmock/gmock.h>

#include "suites/harness/primitive.h"

namespace benanza::cutensor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PermutedModes, DensestModeOfTheResultFirst) {
  // A 2 x 3 x 4 tensor; its last axis becomes the second.
  const PermutedModes modes = permuted_modes({{2, 3, 4}, {12, 4, 1}, {12, 1, 3}});
  EXPECT_THAT(modes.result.names, ElementsAre(1, 2, 0));
  EXPECT_THAT(modes.result.extents, ElementsAre(3, 4, 2));
  EXPECT_THAT(modes.result.strides, ElementsAre(1, 3, 12));
  EXPECT_THAT(modes.source.names, ElementsAre(1, 2, 0));
  EXPECT_THAT(modes.source.strides, ElementsAre(4, 1, 12));
}

TEST(PermutedModes, RepeatedElementsAreNoModeOfTheSource) {
  const PermutedModes modes = permuted_modes({{5, 8}, {0, 1}, {8, 1}});
  EXPECT_THAT(modes.source.names, ElementsAre(1));
  EXPECT_THAT(modes.source.extents, ElementsAre(8));
  EXPECT_THAT(modes.result.names, ElementsAre(1, 0));
  const PermutedModes one_value = permuted_modes({{8}, {0}, {1}});
  EXPECT_THAT(one_value.source.names, IsEmpty());
}

TEST(PermutedModes, OtherStridesAreRefused) {
  EXPECT_THROW(permuted_modes({{4}, {-1}, {1}}), harness::Unsupported);
  EXPECT_THROW(permuted_modes({{4}, {1}, {0}}), harness::Unsupported);
  EXPECT_THROW(permuted_modes({{4}, {1}, {-1}}), harness::Unsupported);
}

TEST(PermutedModes, RowsOfWholeWords) {
  // Rows of 12 elements, 24 apart in the source: 3 words of 4, 6 words apart.
  const Copy words = in_words({{5, 12}, {24, 1}, {12, 1}}, 4);
  EXPECT_EQ(words, (Copy{{5, 3}, {6, 1}, {3, 1}}));
  EXPECT_THROW(in_words({{5, 10}, {24, 1}, {12, 1}}, 4), harness::Unsupported) << "part of a word";
  EXPECT_THROW(in_words({{5, 12}, {26, 1}, {12, 1}}, 4), harness::Unsupported) << "starts inside";
  EXPECT_THROW(in_words({{8, 4}, {1, 8}, {4, 1}}, 4), harness::Unsupported) << "a transposition";
}

TEST(PermutedModes, OnlyAWholeTensorIsAligned) {
  // The slice's rows of 2 lie in rows of 4, and may begin at any of those.
  const PermutedModes slice = permuted_modes({{3, 2}, {4, 1}, {2, 1}});
  EXPECT_EQ(alignment_bytes(slice.source, 2), 2);
  EXPECT_EQ(alignment_bytes(slice.result, 2), 16);
}

}  // namespace
}  // namespace benanza::cutensor
