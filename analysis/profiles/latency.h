#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {

/// What a profile's runs say about the time of one run. The runs of one process share its placement
/// of threads and memory: however many they are, they say nothing about another process.
struct ModelLatency {
  /// Median of the medians of the processes: of all, or of those of the faster mode.
  double seconds = 0;
  /// Of several processes, the range of these medians; from six on, its 95% interval (order
  /// statistics). Of one process, the 95% interval of the median of its runs, if it has at least
  /// six.
  std::optional<Interval> spread{};
  /// Median of each process, in the order they ran; one value for all runs of a single process.
  std::vector<double> process_seconds{};
  /// Of process_seconds, if there is a gap among them.
  std::optional<TwoGroups> groups{};
  std::size_t runs = 0;

  bool is_within_one_process() const { return process_seconds.size() < 2; }
  bool has_two_modes() const { return groups && groups->are_modes(); }
};

/// Empty if the profile has no latency.
std::optional<ModelLatency> model_latency(const Profile& profile);
/// The same of runs as a CUDA graph.
std::optional<ModelLatency> graph_latency(const Profile& profile);

/// What the reader has to know about the processes, one sentence each: their medians; two modes, or
/// one process apart; or that there was only one.
std::vector<std::string> process_sentences(const ModelLatency& latency);

/// The same model with fewer threads.
struct ThreadComparison {
  std::int64_t threads = 1;
  std::int64_t instead_of = 2;
  /// Median of the medians of its processes, their number and their range.
  double seconds = 0;
  std::size_t processes = 0;
  Interval range{};
  /// Whether the profile's threads make the run faster than every process with these; of two modes,
  /// the faster and the slower one.
  bool helps_faster = true;
  bool helps_slower = true;
};
std::vector<ThreadComparison> thread_comparisons(const Profile& profile);
/// One sentence for every number of threads that is not faster than fewer.
std::vector<std::string> thread_sentences(const Profile& profile);

}  // namespace benanza::analysis
