#pragma once

#include <string>
#include <vector>

namespace benanza {

/// Returns recordings in the trace format of Perfetto and chrome://tracing ("JSON Object Format" of
/// the Trace Event Format): a complete event for every call, a process for every recording. A call
/// whose start is unknown ends when its line arrived; if that is unknown, too, it starts at the end
/// of the previous one. Throws Error.
std::string perfetto_trace(const std::vector<std::string>& recordings);

}  // namespace benanza
