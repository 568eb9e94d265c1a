#include "analysis/profiles/latency.h"

#include <fmt/format.h>

#include <algorithm>

namespace benanza::analysis {
namespace {

/// With fewer values, order statistics give no 95% interval.
constexpr std::size_t least_values = 6;

std::optional<Interval> interval_of_runs(const std::vector<double>& runs) {
  if (runs.size() < least_values) return std::nullopt;
  return order_statistic_interval(runs);
}

Interval interval_of_processes(const std::vector<double>& medians) {
  if (medians.size() >= least_values) return order_statistic_interval(medians);
  const auto [low, high] = std::ranges::minmax(medians);
  return {low, high};
}

ModelLatency latency_of_processes(std::vector<double> medians, std::size_t runs) {
  ModelLatency latency{.process_seconds = std::move(medians), .runs = runs};
  latency.groups = two_groups(latency.process_seconds);
  const std::vector<double>& counted =
      latency.has_two_modes() ? latency.groups->low : latency.process_seconds;
  latency.seconds = median(counted);
  latency.spread = interval_of_processes(counted);
  return latency;
}

std::optional<ModelLatency> latency_of(const std::vector<double>& all,
                                       const std::vector<ProcessRuns>& processes,
                                       std::vector<double> ProcessRuns::*runs) {
  if (all.empty()) return std::nullopt;
  std::vector<double> medians;
  for (const ProcessRuns& process : processes) {
    if (!(process.*runs).empty()) medians.push_back(median(process.*runs));
  }
  if (medians.size() >= 2) return latency_of_processes(std::move(medians), all.size());
  const double seconds = median(all);
  return ModelLatency{.seconds = seconds,
                      .spread = interval_of_runs(all),
                      .process_seconds = {seconds},
                      .runs = all.size()};
}

std::string ms(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "es");
}

std::vector<double> medians_of(const std::vector<ProcessRuns>& processes) {
  std::vector<double> medians;
  for (const ProcessRuns& process : processes) medians.push_back(median(process.latency_seconds));
  return medians;
}

}  // namespace

std::optional<ModelLatency> model_latency(const Profile& profile) {
  return latency_of(profile.latency_seconds, profile.processes, &ProcessRuns::latency_seconds);
}

std::optional<ModelLatency> graph_latency(const Profile& profile) {
  return latency_of(profile.graph_latency_seconds, profile.processes,
                    &ProcessRuns::graph_latency_seconds);
}

std::vector<std::string> process_sentences(const ModelLatency& latency) {
  if (latency.is_within_one_process()) {
    return {"within one process: another one may take another time"};
  }
  std::string all;
  for (const double seconds : latency.process_seconds) {
    all += (all.empty() ? "" : ", ") + ms(seconds);
  }
  std::vector<std::string> sentences{counted(latency.process_seconds.size(), "process") + ": " +
                                     all + " ms"};
  if (!latency.groups) return sentences;
  const TwoGroups& groups = *latency.groups;
  if (latency.has_two_modes()) {
    sentences.push_back(fmt::format("two modes: {} ({}) and {} ({}); the latency is the faster's",
                                    ms(median(groups.low)), counted(groups.low.size(), "process"),
                                    ms(median(groups.high)), groups.high.size()));
  } else {
    const bool is_slow = groups.high.size() == 1;
    sentences.push_back(
        fmt::format("one process apart: {} ({} the other {}); more processes tell whether it is a "
                    "second mode",
                    ms(is_slow ? groups.high.front() : groups.low.front()),
                    is_slow ? "slower than" : "faster than", latency.process_seconds.size() - 1));
  }
  return sentences;
}

std::vector<ThreadComparison> thread_comparisons(const Profile& profile) {
  std::vector<ThreadComparison> comparisons;
  const auto latency = model_latency(profile);
  if (!latency) return comparisons;
  for (const FewerThreads& fewer : profile.fewer_threads) {
    const std::vector<double> medians = medians_of(fewer.processes);
    const double fastest = std::ranges::min(medians);
    const double slower =
        latency->has_two_modes() ? median(latency->groups->high) : latency->seconds;
    comparisons.push_back({.threads = fewer.threads,
                           .instead_of = fewer.instead_of,
                           .seconds = median(medians),
                           .processes = medians.size(),
                           .range = {fastest, std::ranges::max(medians)},
                           .helps_faster = latency->seconds < fastest,
                           .helps_slower = slower < fastest});
  }
  return comparisons;
}

std::vector<std::string> thread_sentences(const Profile& profile) {
  std::vector<std::string> sentences;
  const auto latency = model_latency(profile);
  for (const ThreadComparison& one : thread_comparisons(profile)) {
    if (one.helps_slower) continue;
    const bool is_slower_mode = one.helps_faster;
    const double seconds = is_slower_mode ? median(latency->groups->high) : latency->seconds;
    sentences.push_back(
        fmt::format("{} threads do not help{}: {} ms, with {} {} ms", one.instead_of,
                    is_slower_mode ? " in the slower mode" : "", ms(seconds),
                    one.threads == 1 ? "one" : std::to_string(one.threads), ms(one.seconds)));
  }
  return sentences;
}

}  // namespace benanza::analysis
