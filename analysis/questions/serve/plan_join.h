#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/questions/common/inputs.h"

namespace benanza::analysis {

/// Why a run of a plan counts for no step.
struct UnusedRun {
  std::string path{};
  std::string reason{};
};

/// Of the steps whose plans were run: the median of the repetitions; of several runs, the least.
using PlannedSeconds = std::map<const Graph*, double>;

/// Runs of plans, read for the steps of `inputs`.
class PlannedRuns {
 public:
  /// Reads the files, and those in the folders (searched) whose names end in run.json. Throws Error
  /// for one that cannot be read, or is of another system than the results.
  PlannedRuns(const std::vector<std::string>& paths, const Inputs& inputs);

  /// The graphs' own runs at a precision.
  PlannedSeconds at(Precision precision) const;
  /// Those that are of none of the graphs, or of which one is not certain.
  const std::vector<UnusedRun>& unused() const { return unused_; }
  /// How many files do not say of which step they are (of earlier versions of bench_plan): their
  /// steps are known by the name and the batch of the model and by the problems of all calls.
  std::size_t known_by_calls() const { return known_by_calls_; }

 private:
  struct Used {
    const Graph* graph = nullptr;
    Precision precision = Precision::fp32;
    double seconds = 0;
  };

  std::vector<Used> used_{};
  std::vector<UnusedRun> unused_{};
  std::size_t known_by_calls_ = 0;
};

}  // namespace benanza::analysis
