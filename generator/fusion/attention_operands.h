#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "generator/fusion/attention_softmax.h"
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

/// Walks from an operand of attention against the data flow, over layers that a call for attention
/// does not need: they scale, repeat or move what it reads in place. Each of them has no other
/// reader.
class OperandWalk {
 public:
  /// Starts at input `operand` of layer `reader`.
  OperandWalk(const Flow& flow, std::size_t reader, std::size_t operand)
      : flow_(flow), place_{reader, operand} {}

  /// Takes all scalings by constants.
  void take_factors(ScoreScale& scale);
  /// Takes a transposition, by any permutation of axes.
  bool take_transposition();
  /// Takes an Expand between two views that repeats heads of keys or values for several heads of
  /// queries: batch x heads x 1 x ... to batch x heads x repeats x .... Returns the repeats, or 1.
  std::int64_t take_repeats();
  /// Takes a transposition that moves whole rows: it brings the rows of a head together.
  void take_heads();

  /// Where the walk has got to: input `operand` of layer `reader`.
  std::size_t reader() const { return place_.reader; }
  std::size_t operand() const { return place_.operand; }
  /// The layers taken.
  const std::vector<std::size_t>& layers() const { return layers_; }

 private:
  struct Place {
    std::size_t reader;
    std::size_t operand;
  };

  /// The layer that makes what is read at the place; layers that pass its result on become
  /// `passed_`.
  std::optional<std::size_t> maker();
  bool is_copy(std::optional<std::size_t> index, std::string_view op) const;
  /// Takes layer `index` and the layers that pass its result on; moves to the input of `index`.
  void take(std::size_t index);

  const Flow& flow_;
  Place place_;
  std::vector<std::size_t> passed_;
  std::vector<std::size_t> layers_;
};

}  // namespace benanza::fusion
