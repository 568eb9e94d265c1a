#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::fusion {

/// Where the elements of an operand lie in a dense tensor that copies made it from. Starts at the
/// tensor that the operand's call reads and is taken back through one copy after the other.
class StridedView {
 public:
  /// Element (i0, i1, ...) of the operand, whose extents are `dims`, is element sum(i * strides) of
  /// the tensor.
  StridedView(Dims dims, const Dims& strides);

  /// Goes from the result of a copy to its operand. Element `to_offset` of the result was element
  /// `from_offset` of the operand. False, and the view is of no more use, if the copy does not
  /// write the elements in one block without gaps, or if an axis would have no stride.
  bool back_through(const Copy& copy, std::int64_t from_offset, std::int64_t to_offset);

  /// Of the operand.
  const Dims& dims() const { return dims_; }
  /// The first element.
  std::int64_t offset() const { return offset_; }
  /// One per axis, empty if an axis has none: its elements are not equally far apart. That of an
  /// axis of extent 1 is what a dense operand would have.
  std::optional<Dims> strides() const;

 private:
  /// A part of an axis of the operand.
  struct Factor {
    std::size_t axis = 0;
    std::int64_t extent = 1;
    std::int64_t stride = 1;
  };

  Dims dims_;
  std::int64_t offset_ = 0;
  /// Of one axis, the part whose index changes fastest comes first.
  std::vector<Factor> factors_;
};

/// The same copy from its result to its operand.
Copy reversed(const Copy& copy);

}  // namespace benanza::fusion
