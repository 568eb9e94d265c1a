#include "analysis/model/ranks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

namespace benanza::analysis {
namespace {

TimeSpans spans_of(const std::vector<CollectiveRun>& runs) {
  TimeSpans spans;
  for (const CollectiveRun& run : runs) spans.push_back(run.span);
  return spans;
}

RankStepTimes own_times(const RankStep& step) {
  const TimeSpans communication = spans_of(step.collectives);
  TimeSpans all = step.computation;
  all.insert(all.end(), communication.begin(), communication.end());
  all = united(std::move(all));
  return {.span = all.empty() ? 0 : all.back().end - all.front().begin,
          .computation = length_of(united(step.computation)),
          .communication = length_of(united(communication)),
          .exposed = exposed_seconds(communication, step.computation)};
}

double seconds_of(const CollectiveRun& run) { return run.span.end - run.span.begin; }

/// The collectives of a group's ranks, in order.
using Members = std::map<std::size_t, std::vector<const CollectiveRun*>>;
using Groups = std::map<std::string_view, Members>;

Groups groups_of(const std::vector<std::vector<RankStep>>& ranks, std::size_t step) {
  Groups groups;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const CollectiveRun& run : ranks[rank][step].collectives) {
      groups[run.group][rank].push_back(&run);
    }
  }
  // Without groups, a rank that communicates not at all differs from the others.
  if (const auto all = groups.find(""); all != groups.end()) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) all->second[rank];
  }
  return groups;
}

bool are_alike(const Members& members) {
  const auto name = [](const CollectiveRun* run) -> const std::string& { return run->name; };
  const auto& first = members.begin()->second;
  return std::ranges::all_of(members, [&](const auto& rank) {
    return std::ranges::equal(first, rank.second, {}, name, name);
  });
}

}  // namespace

bool is_collective_kernel(std::string_view kernel) {
  if (kernel.starts_with("nccl")) return true;
  constexpr std::string_view others[] = {"cross_device_reduce",
                                         "one_shot_all_reduce",
                                         "two_shot_all_reduce",
                                         "multimem_all_",
                                         "userbuffers_",
                                         "allreduce_fusion",
                                         "AllReduceKernel",
                                         "deep_ep::",
                                         "nvshmem",
                                         "oneccl_",
                                         "mscclpp"};
  return std::ranges::any_of(
      others, [&](std::string_view name) { return kernel.find(name) != kernel.npos; });
}

TimeSpans united(TimeSpans spans) {
  std::ranges::sort(spans, {}, &TimeSpan::begin);
  TimeSpans made;
  for (const TimeSpan& span : spans) {
    if (!made.empty() && span.begin <= made.back().end) {
      made.back().end = std::max(made.back().end, span.end);
    } else {
      made.push_back(span);
    }
  }
  return made;
}

double length_of(const TimeSpans& united_spans) {
  return std::accumulate(
      united_spans.begin(), united_spans.end(), 0.0,
      [](double sum, const TimeSpan& span) { return sum + span.end - span.begin; });
}

double exposed_seconds(const TimeSpans& spans, const TimeSpans& others) {
  TimeSpans both = spans;
  both.insert(both.end(), others.begin(), others.end());
  return length_of(united(std::move(both))) - length_of(united(others));
}

RankTimes rank_times(const std::vector<std::vector<RankStep>>& ranks) {
  RankTimes times;
  std::size_t steps = std::numeric_limits<std::size_t>::max();
  for (const std::vector<RankStep>& rank : ranks) {
    std::vector<RankStepTimes>& own = times.of.emplace_back();
    for (const RankStep& step : rank) own.push_back(own_times(step));
    steps = std::min(steps, rank.size());
  }
  if (ranks.empty()) return times;
  for (std::size_t step = 0; step < steps; ++step) {
    const Groups groups = groups_of(ranks, step);
    if (!std::ranges::all_of(groups, [](const auto& group) { return are_alike(group.second); })) {
      ++times.unmatched;
      continue;
    }
    for (const auto& [name, members] : groups) {
      for (std::size_t i = 0; i < members.begin()->second.size(); ++i) {
        double least = std::numeric_limits<double>::max();
        for (const auto& [rank, runs] : members) least = std::min(least, seconds_of(*runs[i]));
        for (const auto& [rank, runs] : members) {
          times.of[rank][step].waiting += seconds_of(*runs[i]) - least;
        }
      }
    }
  }
  return times;
}

double imbalance(const std::vector<double>& seconds) {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (sum <= 0) return 0;
  return std::ranges::max(seconds) * static_cast<double>(seconds.size()) / sum - 1;
}

double all_reduce_bandwidth(double bytes, int ranks, double seconds) {
  return 2.0 * (ranks - 1) / ranks * bytes / seconds;
}

}  // namespace benanza::analysis
