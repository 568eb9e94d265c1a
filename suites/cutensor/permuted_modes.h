#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::cutensor {

/// A copy in cuTENSOR's terms: an axis is a mode, known by its number, and each view has a stride
/// for every mode that it has. The result has all of them, its densest first; the source lacks
/// those in which the same elements are repeated.
struct PermutedModes {
  struct View {
    std::vector<std::int32_t> names{};
    std::vector<std::int64_t> extents{};
    /// In elements.
    std::vector<std::int64_t> strides{};
    bool operator==(const View&) const = default;
  };
  View source;
  View result;
};

/// Throws Unsupported for strides below 0, and for a stride of 0 in the result.
PermutedModes permuted_modes(const Copy& shape);

/// The same copy of words of `elements` elements. Throws Unsupported if there are none: both views
/// need rows of whole words that lie whole words apart. A problem does not say where a slice
/// starts; this assumes that it is with a word.
Copy in_words(Copy shape, std::int64_t elements);

/// What may be promised of the view's start: 16 bytes for a whole tensor, and for a part of one,
/// which may start anywhere, an element.
std::uint32_t alignment_bytes(const PermutedModes::View& view, std::int64_t element_bytes);

}  // namespace benanza::cutensor
