#pragma once

#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis::kineto {

/// One run of the model, or what may be several that the trace does not separate.
struct Run {
  std::vector<ProfiledNode> nodes{};
  Timeline timeline{};
};

/// The trace's operators that worked on the GPU, a run each: by PyTorch's own steps where it marked
/// them, else by waits for the whole GPU between equal sequences of operators, else all as one.
/// A node is the outermost operator that is_known(), else the operator that launched the work.
std::vector<Run> runs_of(const Trace& trace);

/// Of the runs with the most common sequence of operators (the last of equally common ones): every
/// time is the median over them. `used` becomes their number. `runs` must not be empty.
Run merged(const std::vector<Run>& runs, std::size_t& used);

}  // namespace benanza::analysis::kineto
