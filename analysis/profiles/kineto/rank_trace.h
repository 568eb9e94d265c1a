#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/model/ranks.h"

namespace benanza::analysis::kineto {

/// The GPU of one rank in a trace of PyTorch.
struct RankTrace {
  /// "0", or the file's name and the process where the trace does not say the rank.
  std::string name{};
  /// For sorting; the largest number if unknown.
  std::int64_t number = 0;
  std::vector<RankStep> steps{};
  /// Of each step: "ProfilerStep#3", or "trace" for one without steps.
  std::vector<std::string> step_names{};
  std::vector<std::string> remarks{};
};

/// Reads a trace: one rank, or several if its kernels are of several processes (merged traces). A
/// kernel belongs to the step that launched it, as far as the trace tells. NCCL's kernels are
/// collectives; copies are neither computation nor communication. Throws Error, one line, if there
/// is no kernel with a time.
std::vector<RankTrace> read_rank_traces(const std::filesystem::path& file);

}  // namespace benanza::analysis::kineto
