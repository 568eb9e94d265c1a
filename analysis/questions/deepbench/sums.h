#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/model/layer_time.h"
#include "analysis/questions/deepbench/published.h"

namespace benanza::analysis {

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
