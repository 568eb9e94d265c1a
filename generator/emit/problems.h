#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::emit {

/// A distinct problem of the graphs, by key, including fused problems and layout transforms, and
/// the layers that need it, per model in the order of the graphs.
struct ProblemUse {
  std::string key;
  struct Layers {
    std::string model;
    std::vector<std::string> names;
  };
  std::vector<Layers> users;
  /// Which layers ask for it: those that run at the run's precision, and those whose tensors the
  /// file stores in 8 bits, at these.
  bool of_floats = false;
  std::set<Precision> stored = {};
};

/// Returns the problems by operator; those of the same layers (at several batches, say) are
/// adjacent, in the order of the graphs.
std::vector<ProblemUse> collect_problems(const std::vector<const Graph*>& graphs);

/// Returns the first part of a key.
std::string operator_of(const std::string& key);

/// Returns the text of problems.cpp: a table of keys per operator, a comment above the rows of the
/// same layers (the first models and the first layers of each), and registration().
std::string problems_source(const std::vector<ProblemUse>& problems,
                            const std::vector<Precision>& precisions);

}  // namespace benanza::emit
