#pragma once

#include <string>
#include <vector>

namespace benanza::analysis {

/// Recordings in the trace format that Perfetto and chrome://tracing read ("JSON Object Format" of
/// the Trace Event Format): a complete event for every call, a process for every recording. A call
/// whose begin is not known ends when its line arrived; where that is not known either, it begins
/// where the one before ended. Throws Error.
std::string perfetto_trace(const std::vector<std::string>& recordings);

}  // namespace benanza::analysis
