#include "suites/harness/row_gather.h"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace benanza::harness {
namespace {

using testing::ElementsAre;

/// Two blocks of three rows of two.
struct Gathered {
  std::array<std::int16_t, 12> source{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
  std::vector<std::int16_t> target;

  template <class Index>
  std::vector<std::int16_t> rows(std::vector<Index> indices) {
    target.assign(4 * indices.size(), -1);
    gather_on_host({.target = reinterpret_cast<std::byte*>(target.data()),
                    .source = reinterpret_cast<const std::byte*>(source.data()),
                    .indices = reinterpret_cast<const std::byte*>(indices.data()),
                    .index_bytes = sizeof(Index),
                    .outer = 2,
                    .extent = 3,
                    .count = static_cast<std::int64_t>(indices.size()),
                    .row_bytes = 4});
    return target;
  }
};

TEST(GatherOnHost, TakesTheRowsOfEveryBlock) {
  Gathered given;
  EXPECT_THAT(given.rows(std::vector<std::int64_t>{2, 0}), ElementsAre(4, 5, 0, 1, 14, 15, 10, 11));
  EXPECT_THAT(given.rows(std::vector<std::int32_t>{-1}), ElementsAre(4, 5, 14, 15));
  EXPECT_THAT(given.rows(std::vector<std::int32_t>{}), testing::IsEmpty());
}

TEST(GatherOnHost, RefusesIndicesBeyondTheRows) {
  Gathered given;
  EXPECT_THROW(given.rows(std::vector<std::int64_t>{3}), std::out_of_range);
  EXPECT_THROW(given.rows(std::vector<std::int64_t>{-4}), std::out_of_range);
}

}  // namespace
}  // namespace benanza::harness
