#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"

namespace benanza::analysis {

/// By what the calls of a recording are put together.
enum class Grouping { kind, implementation, call };

/// "convolution", "convolution jit:avx512_core", or all that identifies a call but its
/// implementation: kind, propagation, sizes and settings.
std::string group_name(const CallText& text, Grouping grouping);

/// Calls that have one name. Times are those of each recording, in their order; empty where a
/// recording has no such call.
struct ProfileRow {
  struct Part {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  std::string name{};
  std::vector<std::optional<Part>> parts{};
};

/// Every name that one of the recordings has; the most time first: of the first recording, then of
/// those behind it.
std::vector<ProfileRow> flat_profile(const std::vector<std::vector<CallTotal>>& recordings,
                                     Grouping grouping);

/// Of all calls of a recording.
ProfileRow::Part sum_of(const std::vector<CallTotal>& totals);

}  // namespace benanza::analysis
