#pragma once

#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis::kineto {

/// One run of the model, or several that the trace does not separate.
struct Run {
  std::vector<ProfiledNode> nodes{};
  Timeline timeline{};
};

/// Splits the trace's operators that worked on the GPU into runs: by PyTorch's own steps if it
/// marked them, otherwise by waits for the GPU between equal sequences of operators, otherwise into
/// one. A node is the outermost operator that is_known(), otherwise the one that launched the work.
std::vector<Run> runs_of(const Trace& trace);

/// Returns the medians of all times over the runs that have the most common sequence of operators
/// (the last of equally common ones). Sets `used` to their number. `runs` must not be empty.
Run merged(const std::vector<Run>& runs, std::size_t& used);

}  // namespace benanza::analysis::kineto
