#pragma once

#include <string>
#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis::kineto {

/// One run of the model, or several that the trace does not separate.
struct ModelRun {
  std::vector<ProfiledNode> nodes{};
  Timeline timeline{};
  /// Runs that the trace holds, and those of which the times are medians.
  std::size_t found = 0;
  std::size_t used = 0;
  /// The trace does not tell runs apart: `nodes` may hold several.
  bool is_undivided = false;
  /// One sentence each.
  std::vector<std::string> remarks{};
};

/// Splits the trace's operators that worked on the GPU into runs, process by process: by PyTorch's
/// own steps if it marked them, otherwise by waits for the GPU between equal sequences of
/// operators, otherwise into one. Returns the medians over the runs that have the most common
/// sequence (the last of equally common ones). Of processes with different sequences, these follow
/// one another. Empty if no operator worked. One run of more than `most_nodes` that repeats a
/// sequence is taken as medians over fewer repetitions, as a description of each takes memory.
ModelRun model_run(const Trace& trace, std::size_t most_nodes = 100'000);

}  // namespace benanza::analysis::kineto
