#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// A problem as DeepBench's lists name it: table and pass, "conv.bwd_data", and the sizes, "m=1760
/// n=16 k=1760 NN".
struct ListedProblem {
  std::string op{};
  std::string sizes{};
  bool operator==(const ListedProblem&) const = default;
  auto operator<=>(const ListedProblem&) const = default;
};

/// The problem of a layer that benanza-generate made from a DeepBench row; empty for any other.
std::optional<ListedProblem> listed_problem(const Layer& layer);

/// True if the graph contains such layers.
bool is_list(const Graph& graph);

/// Seconds by hardware name, "NV_V100".
using PublishedTimes = std::map<std::string, double>;

/// Published measurements: a table with the columns `op` and `row` and one for each hardware and
/// precision, "NV_V100/fp16", in milliseconds. "-": not published.
class Published {
 public:
  /// Throws Error if `table` is malformed.
  explicit Published(std::string_view table);

  /// Empty if no time was published at the precision.
  const PublishedTimes& times(const ListedProblem& problem, Precision precision) const;

 private:
  std::map<std::pair<ListedProblem, Precision>, PublishedTimes> times_;
};

/// The table of DeepBench's authors, published.tsv.
std::string_view published_table();

}  // namespace benanza::analysis
