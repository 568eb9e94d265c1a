#pragma once

#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "record/store/recording.h"
#include "record/views/device_profile.h"

namespace benanza::analysis {

/// The recorded calls whose log states their time (oneDNN's) and that are one problem of the
/// suites, with its key, precision and layout in place of the log's words. Sorted by time,
/// descending.
std::vector<LibraryCallTime> host_calls(const std::vector<CallTotal>& totals);

/// "recorded with oneDNN v2.6.3, measured with 3.2.1"; empty if the versions are equal, or one of
/// them is not known. `libraries`: the recording's, in their own words.
std::string other_version(const std::vector<std::string>& libraries, const Results& results);

}  // namespace benanza::analysis
