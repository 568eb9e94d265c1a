#pragma once

#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// What a call reads row by row, each `length` elements that lie together: input `operand` of layer
/// `reader`.
struct Rows {
  std::size_t reader;
  std::size_t operand;
  std::int64_t length;
};

/// A transposition that moves whole rows: it puts the rows of a head together.
bool moves_whole_rows(const LoweredLayer& layer);

/// Layers that pick the rows out of larger tensors (queries, keys and values that one product
/// makes: Split, Slice, Gather), and the transposition before them where nobody else reads it: a
/// call reads the rows where they are. Views between are among them.
std::vector<std::size_t> layers_that_pick(const Flow& flow, const std::vector<Rows>& rows);

}  // namespace benanza::fusion
