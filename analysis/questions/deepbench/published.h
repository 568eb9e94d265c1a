#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/layer_time.h"
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

/// A row of DeepBench's lists, as measured here and elsewhere.
struct DeepBenchRow {
  std::size_t layer = 0;
  ListedProblem problem{};
  /// Point into the data that the row was made from.
  const LayerTime* time = nullptr;
  const PublishedTimes* published = nullptr;

  /// The shortest published time; null if there is none.
  const PublishedTimes::value_type* fastest_published() const;
};

/// Sums over the rows of one table and pass.
struct ListSum {
  std::size_t rows = 0;
  /// Rows that have a time; the sums are over these.
  std::size_t timed = 0;
  double seconds = 0;
  double flops = 0;
};

/// Sums over the rows with a measured and a published time.
struct CommonSum {
  std::size_t rows = 0;
  double here_seconds = 0;
  double published_seconds = 0;
};

/// By table and pass, "conv.bwd_data".
std::map<std::string, ListSum> list_sums(const Graph& graph, const std::vector<DeepBenchRow>& rows);
/// By (table and pass, hardware). Every row counts, including those listed twice.
std::map<std::pair<std::string, std::string>, CommonSum> common_sums(
    const std::vector<DeepBenchRow>& rows);

}  // namespace benanza::analysis
