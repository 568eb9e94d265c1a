#include "suites/harness/keep/compressed_rows.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace benanza::harness {
namespace {

using testing::ElementsAre;

TEST(CompressedRows, HoldWhatIsNotZero) {
  const std::vector<float> dense{0, 2, 0, 3,  //
                                 0, 0, 0, 0,  //
                                 5, 0, 0, -1};
  const CompressedRows rows = compressed_rows(dense, 3, 4);
  EXPECT_THAT(rows.begins, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(rows.columns, ElementsAre(1, 3, 0, 3));
  EXPECT_THAT(rows.values, ElementsAre(2, 3, 5, -1));
}

TEST(CompressedRows, WantAMatrixOfThatSize) {
  EXPECT_THROW(compressed_rows(std::vector<float>(5), 2, 3), std::invalid_argument);
}

}  // namespace
}  // namespace benanza::harness
