#include "suites/cublas/ops/movement/movement.h"

#include <gmock/gmock.h>

#include <numeric>

#include "suites/harness/primitive.h"
#include "suites/tests/cublas/copied_elements.h"

namespace benanza::cublas {
namespace {

/// Applies `move` element by element to a source of 0, 1, 2, ...
std::vector<int> matrix_move_moved(const MatrixMove& move, std::int64_t source_size,
                                   std::int64_t result_size) {
  std::vector<int> source(static_cast<std::size_t>(source_size));
  std::iota(source.begin(), source.end(), 0);
  std::vector<int> result(static_cast<std::size_t>(result_size), -1);
  for (std::int64_t batch = 0; batch < move.batches; ++batch) {
    for (std::int64_t column = 0; column < move.result.columns; ++column) {
      for (std::int64_t row = 0; row < move.result.rows; ++row) {
        const std::int64_t from_row = move.transposed ? column : row;
        const std::int64_t from_column = move.transposed ? row : column;
        result.at(
            static_cast<std::size_t>(batch * move.result.stride + column * move.result.ld + row)) =
            source.at(static_cast<std::size_t>(batch * move.source.stride +
                                               from_column * move.source.ld + from_row));
      }
    }
  }
  return result;
}

/// The result of the problem.
std::vector<int> expected(const Copy& copy) {
  std::vector<int> result(static_cast<std::size_t>(element_count(copy.output())), -1);
  for (const auto& [from, to] : copied_elements(copy)) {
    result.at(static_cast<std::size_t>(to)) = static_cast<int>(from);
  }
  return result;
}

struct Case {
  const char* name;
  Copy copy;
  bool transposed;
  std::int64_t batches;
};

class MatrixMoves : public testing::TestWithParam<Case> {};

TEST_P(MatrixMoves, MoveWhatTheProblemAsks) {
  const Case& one = GetParam();
  const MatrixMove move = matrix_move(one.copy);
  EXPECT_EQ(move.transposed, one.transposed);
  EXPECT_EQ(move.batches, one.batches);
  EXPECT_EQ(matrix_move_moved(move, element_count(one.copy.inputs().front().dims),
                              element_count(one.copy.output())),
            expected(one.copy));
}

INSTANTIATE_TEST_SUITE_P(
    All, MatrixMoves,
    testing::Values(Case{"transposition", {{3, 5}, {1, 3}, {5, 1}}, true, 1},
                    Case{"transposition_as_the_source_lies", {{5, 3}, {3, 1}, {1, 5}}, true, 1},
                    Case{"of_a_slice", {{3, 5}, {1, 8}, {5, 1}}, true, 1},
                    Case{"nchw_to_nhwc", {{2, 6, 4}, {24, 1, 6}, {24, 4, 1}}, true, 2},
                    Case{"rows_with_steps", {{4, 3}, {5, 1}, {3, 1}}, false, 1},
                    Case{"heads", {{2, 7, 4}, {4, 8, 1}, {28, 4, 1}}, false, 2}),
    [](const auto& one) { return one.param.name; });

TEST(MatrixMove, RefusesWhatIsNoMatrix) {
  // One axis, non-contiguous elements, overlapping columns, four axes.
  EXPECT_THROW(matrix_move({{6}, {1}, {1}}), harness::Unsupported);
  EXPECT_THROW(matrix_move({{4, 3}, {6, 2}, {3, 1}}), harness::Unsupported);
  EXPECT_THROW(matrix_move({{4, 3}, {1, 1}, {3, 1}}), harness::Unsupported);
  EXPECT_THROW(matrix_move({{2, 2, 2, 2}, {1, 2, 4, 8}, {8, 4, 2, 1}}), harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cublas
