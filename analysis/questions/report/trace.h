#pragma once

#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Returns a trace of one model's bounds and a framework's run, in Chrome's format, for Perfetto or
/// chrome://tracing. Three processes: the parallel bound (a thread per lane), the sequential bound,
/// and the framework's operators (`profile` may be null) back to back: a profile of operators does
/// not record the gaps between them.
std::string trace_json(const Graph& graph, const std::vector<LayerTime>& times, Movement movement,
                       const Profile* profile);

}  // namespace benanza::analysis
