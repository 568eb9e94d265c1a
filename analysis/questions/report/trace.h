#pragma once

#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// A framework and the bounds of one model beside each other: a trace in Chrome's
/// format, for Perfetto or chrome://tracing. Three processes: the parallel bound (a thread for
/// every lane), the sequential one, and the framework's operators (`profile` may be null) one after
/// the other, as long as they take: gaps between them are not in a profile of operators.
std::string trace_json(const Graph& graph, const std::vector<LayerTime>& times, Movement movement,
                       const Profile* profile);

}  // namespace benanza::analysis
