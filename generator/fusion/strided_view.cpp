#include "generator/fusion/strided_view.h"

#include <algorithm>
#include <utility>

namespace benanza::fusion {
namespace {

/// An axis of a copy: the index of an element of the result is a number whose digits are the
/// indices of these axes.
struct Digit {
  std::int64_t weight = 1;
  std::int64_t extent = 1;
  std::int64_t from = 0;
  /// The largest index that the view uses.
  std::int64_t used = 0;
};

/// In the order of their weights, the smallest first; empty if the copy leaves gaps.
std::vector<Digit> digits_of(const Copy& copy) {
  std::vector<Digit> digits;
  for (std::size_t axis = 0; axis < copy.dims.size(); ++axis) {
    if (copy.dims[axis] > 1) digits.push_back({copy.to[axis], copy.dims[axis], copy.from[axis]});
  }
  std::ranges::sort(digits, {}, &Digit::weight);
  std::int64_t next = 1;
  for (const Digit& digit : digits) {
    if (digit.weight != next) return {};
    next *= digit.extent;
  }
  return digits;
}

/// The digit that a step of `stride` elements changes: the last whose weight divides it, and is no
/// larger.
Digit* changed_by(std::vector<Digit>& digits, std::int64_t stride) {
  Digit* found = nullptr;
  for (Digit& digit : digits) {
    if (digit.weight <= stride && stride % digit.weight == 0) found = &digit;
  }
  if (found == nullptr || stride / found->weight >= found->extent) return nullptr;
  return found;
}

}  // namespace

StridedView::StridedView(Dims dims, const Dims& strides) : dims_(std::move(dims)) {
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
    if (dims_[axis] > 1) factors_.push_back({axis, dims_[axis], strides[axis]});
  }
}

bool StridedView::back_through(const Copy& copy, std::int64_t from_offset, std::int64_t to_offset) {
  std::vector<Digit> digits = digits_of(copy);
  std::int64_t first = offset_ - to_offset;
  if (first < 0 || (digits.empty() && copy.moved_elements() != 1)) return false;
  offset_ = from_offset;
  for (Digit& digit : digits) {
    digit.used = first % digit.extent;
    first /= digit.extent;
    offset_ += digit.used * digit.from;
  }
  if (first != 0) return false;
  std::vector<Factor> made;
  for (const Factor& whole : factors_) {
    Factor rest = whole;
    while (rest.extent > 1) {
      Digit* const digit = changed_by(digits, rest.stride);
      if (digit == nullptr) return false;
      const std::int64_t step = rest.stride / digit->weight;
      Factor part{rest.axis, rest.extent, step * digit->from};
      if (step * (rest.extent - 1) >= digit->extent) {
        part.extent = digit->extent / step;
        if (digit->extent % step != 0 || rest.extent % part.extent != 0) return false;
      }
      digit->used += step * (part.extent - 1);
      made.push_back(part);
      rest.extent /= part.extent;
      rest.stride *= part.extent;
    }
  }
  factors_ = std::move(made);
  // Otherwise indices of different axes would carry over into the next digit.
  return std::ranges::all_of(digits, [](const Digit& one) { return one.used < one.extent; });
}

std::optional<Dims> StridedView::strides() const {
  Dims strides(dims_.size(), 0);
  Dims extents(dims_.size(), 1);
  for (const Factor& factor : factors_) {
    std::int64_t& stride = strides[factor.axis];
    std::int64_t& extent = extents[factor.axis];
    if (extent == 1) {
      stride = factor.stride;
    } else if (factor.stride != stride * extent) {
      return std::nullopt;
    }
    extent *= factor.extent;
  }
  std::int64_t next = 1;
  for (std::size_t axis = dims_.size(); axis-- > 0;) {
    if (dims_[axis] == 1) strides[axis] = next;
    next = strides[axis] * dims_[axis];
  }
  return strides;
}

Copy reversed(const Copy& copy) { return {.dims = copy.dims, .from = copy.to, .to = copy.from}; }

}  // namespace benanza::fusion
