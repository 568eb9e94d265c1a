#pragma once

#include <string>
#include <vector>

#include "analysis/profile_match/picks.h"
#include "analysis/input/inputs.h"

namespace benanza::analysis {

/// The profile of `question` that is of this graph and of the choice's precision, the last of
/// several; null if there is none.
const Profile* profile_of(const Question& question, const Graph& graph, const Choice& choice);

/// What the framework took for `rows`, by that profile and by the calls of API logs: one per row;
/// none without either. Throws Error for a profile of another model.
std::vector<FrameworkPick> picks_of(const Question& question, const Graph& graph,
                                    const Choice& choice, const std::vector<AlgorithmRow>& rows,
                                    const std::vector<LibraryCall>& calls = {});

/// Throws Error, one line, for a profile that does not say which kernels the GPU ran, and for one
/// of a precision that was not asked for.
void require_kernels(const Question& question);

/// The calls of all the logs. Throws Error, one line, unless there is one graph for them.
std::vector<LibraryCall> read_api_logs(const std::vector<std::string>& paths,
                                       const Question& question);

}  // namespace benanza::analysis
