#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/problem/precision.h"

namespace benanza {

/// What a recording says of a library call's operands, as far as the log tells it: "fp16 nhwc",
/// "fp16", "nhwc" behind a space, or nothing.
struct CallMemory {
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
  bool operator==(const CallMemory&) const = default;
};

std::string to_string(const CallMemory& memory);
/// Words that are unknown are left out.
CallMemory read_call_memory(std::string_view text);

}  // namespace benanza
