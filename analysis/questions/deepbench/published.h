#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::analysis {

/// A problem in the words of DeepBench's lists: the table and the pass, "conv.bwd_data", and the
/// sizes, "m=1760 n=16 k=1760 NN".
struct ListedProblem {
  std::string op{};
  std::string sizes{};
  bool operator==(const ListedProblem&) const = default;
  auto operator<=>(const ListedProblem&) const = default;
};

/// Of a layer that benanza-generate made of one of DeepBench's rows; empty for any other.
std::optional<ListedProblem> listed_problem(const Layer& layer);

/// Does the graph hold such layers?
bool is_list(const Graph& graph);

/// Seconds by the name of the hardware, "NV_V100".
using PublishedTimes = std::map<std::string, double>;

/// What others measured: a table with a column `op`, a column `row` and one for each hardware and
/// precision, "NV_V100/fp16", of milliseconds. "-": not published.
class Published {
 public:
  /// Throws Error if the table is none.
  explicit Published(std::string_view table);

  /// Empty where nobody published a time at the precision.
  const PublishedTimes& times(const ListedProblem& problem, Precision precision) const;

 private:
  std::map<std::pair<ListedProblem, Precision>, PublishedTimes> times_;
};

/// The table that DeepBench's authors published, published.tsv.
std::string_view published_table();

}  // namespace benanza::analysis
