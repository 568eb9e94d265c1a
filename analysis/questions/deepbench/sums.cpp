#include "analysis/questions/deepbench/sums.h"

#include <algorithm>

namespace benanza::analysis {

const PublishedTimes::value_type* DeepBenchRow::fastest_published() const {
  const auto least = std::ranges::min_element(*published, {}, &PublishedTimes::value_type::second);
  return least == published->end() ? nullptr : &*least;
}

std::map<std::string, ListSum> list_sums(const Graph& graph,
                                         const std::vector<DeepBenchRow>& rows) {
  std::map<std::string, ListSum> sums;
  for (const DeepBenchRow& row : rows) {
    ListSum& sum = sums[row.problem.op];
    ++sum.rows;
    const Layer& layer = graph.layers[row.layer];
    if (!row.time->seconds || !layer.flops) continue;
    ++sum.timed;
    sum.seconds += *row.time->seconds;
    sum.flops += *layer.flops;
  }
  return sums;
}

std::map<std::pair<std::string, std::string>, CommonSum> common_sums(
    const std::vector<DeepBenchRow>& rows) {
  std::map<std::pair<std::string, std::string>, CommonSum> sums;
  for (const DeepBenchRow& row : rows) {
    if (!row.time->seconds) continue;
    for (const auto& [hardware, seconds] : *row.published) {
      CommonSum& sum = sums[{row.problem.op, hardware}];
      ++sum.rows;
      sum.here_seconds += *row.time->seconds;
      sum.published_seconds += seconds;
    }
  }
  return sums;
}

}  // namespace benanza::analysis
