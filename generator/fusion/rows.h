#pragma once

#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// An operand that a call reads row by row, `length` contiguous elements each: input `operand` of
/// layer `reader`.
struct Rows {
  std::size_t reader;
  std::size_t operand;
  std::int64_t length;
};

/// True for a Transpose that moves whole rows, so that the rows of a head become contiguous.
bool moves_whole_rows(const LoweredLayer& layer);

/// Returns the layers that select the rows from larger tensors (Split, Slice or Gather of queries,
/// keys and values that one product makes), and the transposition before them if nothing else reads
/// its result: the call reads the rows in place. Includes the views between them.
std::vector<std::size_t> layers_that_pick(const Flow& flow, const std::vector<Rows>& rows);

}  // namespace benanza::fusion
