#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/logs/shared/entry.h"

namespace benanza::record {

/// A tensor of a call or of a graph's operation. What the log does not say is empty. Points into
/// the entry.
struct Tensor {
  Dims extents{};
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
  /// "HALF".
  std::string_view type{};
  Dims strides{};
  /// "xDesc".
  std::string name{};

  /// Whether its elements do not fill the memory between the first and the last.
  bool has_gaps() const;
};
/// The first of `tensors` that the entry has, such as "xDesc".
Tensor tensor(const Entry& entry, std::initializer_list<std::string_view> tensors);

/// Why no precision has a call with these operands: "operands of DOUBLE", "wDesc of HALF beside one
/// of FLOAT". Empty if one has, or if the log does not say their types.
std::string unsaid_types(const std::vector<Tensor>& operands);

}  // namespace benanza::record
