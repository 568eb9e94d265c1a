#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::analysis {

/// Seconds from begin to end.
struct TimeSpan {
  double begin = 0;
  double end = 0;
};
using TimeSpans = std::vector<TimeSpan>;

/// The union: ascending, without overlap.
TimeSpans united(TimeSpans spans);
double length_of(const TimeSpans& united_spans);
/// Length of what lies in `spans` but not in `others`, however each overlaps itself.
double exposed_seconds(const TimeSpans& spans, const TimeSpans& others);

/// By its name: NCCL's, and those of frameworks that exchange data without it.
bool is_collective_kernel(std::string_view name);

/// A collective's kernel on one rank.
struct CollectiveRun {
  std::string name{};
  TimeSpan span{};
  /// Of the message, if the trace says it, and the ranks that take part.
  std::optional<double> bytes{};
  std::optional<int> ranks{};
  /// Which ranks they are, as far as the trace says: equal for those that take part in one.
  std::string group{};
};

/// A GPU's work in one step of one rank.
struct RankStep {
  TimeSpans computation{};
  std::vector<CollectiveRun> collectives{};
};

/// What that comes to, in seconds.
struct RankStepTimes {
  /// From the first kernel to the end of the last.
  double span = 0;
  double computation = 0;
  double communication = 0;
  /// Communication during which nothing is computed.
  double exposed = 0;
  /// In collectives, until the last rank came: without clocks in common, what each took longer than
  /// on the rank of its group where it was shortest.
  double waiting = 0;
};

/// Times of each rank (the first index) in each step. Waiting is known in steps in which the ranks
/// of each group ran the same collectives in the same order; elsewhere it is 0 and counted in
/// `unmatched`.
struct RankTimes {
  std::vector<std::vector<RankStepTimes>> of{};
  std::size_t unmatched = 0;
};
RankTimes rank_times(const std::vector<std::vector<RankStep>>& ranks);

/// How much longer the longest takes than the mean: 0.5 for 1 and 3. 0 for none.
double imbalance(const std::vector<double>& seconds);

/// Bus bandwidth of an all-reduce, in bytes/s, as NCCL's tests define it: each byte crosses a link
/// 2 (n - 1) / n times.
double all_reduce_bandwidth(double bytes, int ranks, double seconds);

}  // namespace benanza::analysis
