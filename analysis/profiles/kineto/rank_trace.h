#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
  /// Ranks of the job; empty if the trace does not say it.
  std::optional<std::int64_t> world{};
};

/// Reads a trace: one rank, or several if its kernels are of several processes (merged traces). A
/// kernel belongs to the step that launched it, as far as the trace tells. NCCL's kernels are
/// collectives; copies are neither computation nor communication. Throws Error, one line, if there
/// is no kernel with a time.
std::vector<RankTrace> read_rank_traces(const std::filesystem::path& file);

/// Sorts traces by rank and leaves the steps that all have, by name, so that those of one position
/// are one step; if they have none in common, they stay in order. Adds a remark about what is left
/// out, and about ranks of the job without a trace. Throws Error if two are of the same rank.
void join_ranks(std::vector<RankTrace>& traces);

}  // namespace benanza::analysis::kineto
