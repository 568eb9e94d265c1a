#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// The key by which the calls of a recording are grouped.
enum class Grouping { kind, implementation, call };

/// Returns "convolution", "convolution jit:avx512_core", or everything that identifies a call
/// except its implementation: kind, propagation, sizes and settings.
std::string group_name(const CallText& text, Grouping grouping);

/// Calls with one name. `parts` has one entry per recording, in order; empty if the recording has
/// no such call.
struct ProfileRow {
  struct Part {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  std::string name{};
  std::vector<std::optional<Part>> parts{};
};

/// Returns a row for every name in any of the recordings, sorted by time in the first recording,
/// then in the following ones, descending.
std::vector<ProfileRow> flat_profile(const std::vector<std::vector<CallTotal>>& recordings,
                                     Grouping grouping);

/// Returns the sum over all calls of a recording.
ProfileRow::Part sum_of(const std::vector<CallTotal>& totals);

}  // namespace benanza
