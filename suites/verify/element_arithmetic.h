#pragma once

#include "core/problem/text.h"
#include "core/problem/window.h"
#include "suites/verify/reference.h"

/// Arithmetic on Elements that propagates rounding errors to first order. A value that is used
/// twice counts twice, as if its errors were independent.
namespace benanza::verify {

/// Returns the coordinates of row-major element `flat_index` of a tensor of extents `dims`.
Dims unravel(std::int64_t flat_index, const Dims& dims);

/// Returns the row-major position of `at` in a tensor of extents `dims`. Axes of extent 1 are
/// broadcast: their coordinate is ignored.
std::int64_t ravel_broadcast(const Dims& at, const Dims& dims);

/// Advances `at` to the next element in row-major order. False, and all zeros, after the last.
bool advance(Dims& at, const Dims& dims);

/// The product of the extents after axis 1: the distance between two channels.
std::int64_t plane(const Dims& dims);

/// Calls visit(tap, offset) for every tap of the window at output pixel `pixel` that is inside the
/// input: `tap` is the row-major index into the kernel, `offset` the one into the input's spatial
/// extents.
template <class Visit>
void for_each_tap(const Window& window, const Dims& spatial_extents, const Dims& pixel,
                  Visit visit) {
  Dims at(window.rank(), 0);
  std::int64_t tap = 0;
  do {
    std::int64_t offset = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const std::int64_t position = pixel[axis] * window.strides[axis] - window.pads[axis] +
                                    at[axis] * window.dilations[axis];
      inside = inside && position >= 0 && position < spatial_extents[axis];
      offset = offset * spatial_extents[axis] + position;
    }
    if (inside) visit(tap, offset);
    ++tap;
  } while (advance(at, window.kernel));
}

/// A number whose rounding error is proportional to its own size.
Element constant(double value);

/// Errors of different elements are independent: their squares add.
Element operator+(const Element& a, const Element& b);
/// Accounts for the factors being stored.
Element operator*(const Element& a, const Element& b);

/// Account for the results being stored before they are used.
Element sigmoid_of(const Element& x);
Element tanh_of(const Element& x);
Element one_minus(const Element& x);

}  // namespace benanza::verify
