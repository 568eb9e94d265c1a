#pragma once

#include <string>
#include <vector>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::emit {

/// Every distinct problem of the graphs, fused ones and changes of layout included: its key, and
/// the layers that ask for it, as "model: layer" in the order of the graphs.
struct ProblemUse {
  std::string key;
  struct Layers {
    std::string model;
    std::vector<std::string> names;
  };
  std::vector<Layers> users;
};

/// Sorted by operator; within one, what the same layers ask for (at several batches, say) together,
/// in the order in which the graphs first ask.
std::vector<ProblemUse> collect_problems(const std::vector<Graph>& graphs);

/// First part of a key.
std::string operator_of(const std::string& key);

/// problems.cpp: a table of keys per operator, a comment above the rows of the same layers (the
/// first models that ask, and the first layers of each), and registration().
std::string problems_source(const std::vector<ProblemUse>& problems,
                            const std::vector<Precision>& precisions);

}  // namespace benanza::emit
