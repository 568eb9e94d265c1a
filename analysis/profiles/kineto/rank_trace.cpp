#include "analysis/profiles/kineto/rank_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/kineto/event_reader.h"
#include "analysis/profiles/kineto/launch_table.h"

namespace benanza::analysis::kineto {
namespace {

constexpr double seconds_per_microsecond = 1e-6;

constexpr Index no_collective = no_index;

/// A trace has millions.
struct Kernel {
  TimeSpan span{};
  std::int64_t correlation = no_id;
  /// As the trace states it for the GPU.
  Index process = 0;
  Index collective = no_collective;
};

struct Step {
  std::string name{};
  TimeSpan span{};
};
using StepsOfRank = std::vector<Step>;

/// What a file says, in seconds.
struct RankEvents {
  Numbering processes{};
  /// A deque grows without a second copy.
  std::deque<Kernel> kernels{};
  std::vector<CollectiveRun> collectives{};
  std::map<Index, StepsOfRank> gpu_steps{};
  std::map<Index, StepsOfRank> host_steps{};
  Numbering launch_names{};
  /// Their threads are processes.
  std::vector<Launch> launches{};
  std::size_t without_time = 0;
  std::size_t told_twice = 0;
};

double element_size(std::string_view type) {
  constexpr std::pair<std::string_view, double> sizes[] = {
      {"Float", 4}, {"Half", 2},  {"BFloat16", 2},      {"Double", 8},
      {"Long", 8},  {"Int", 4},   {"Byte", 1},          {"Char", 1},
      {"Bool", 1},  {"Short", 2}, {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}};
  for (const auto& [name, bytes] : sizes) {
    if (name == type) return bytes;
  }
  return 0;
}

std::optional<std::int64_t> number(const TraceEvent& event, std::string_view name) {
  const auto value = event.argument(name);
  return value ? value->id() : std::nullopt;
}

CollectiveRun collective_of(const TraceEvent& event, TimeSpan span) {
  CollectiveRun run{.name = std::string(*event.name), .span = span};
  const auto elements = number(event, "In msg nelems");
  const double size = element_size(event.text_argument("dtype"));
  if (elements && size > 0) run.bytes = static_cast<double>(*elements) * size;
  if (const auto ranks = number(event, "Group size")) run.ranks = static_cast<int>(*ranks);
  // Long lists of ranks are cut short; then the group's name tells.
  for (const std::string_view part : {"Process Group Name", "Process Group Ranks"}) {
    const std::string_view text = event.text_argument(part);
    if (!text.empty()) run.group += std::string(text) + ' ';
  }
  return run;
}

void add_kernel(const TraceEvent& event, TimeSpan span, Index process, RankEvents& events) {
  if (span.end <= span.begin) {
    ++events.without_time;
    return;
  }
  Kernel& kernel = events.kernels.emplace_back(
      Kernel{.span = span,
             .correlation = number(event, "correlation").value_or(no_id),
             .process = process});
  if (!is_collective_kernel(*event.name)) return;
  kernel.collective = static_cast<Index>(events.collectives.size());
  events.collectives.push_back(collective_of(event, span));
}

void add_event(const TraceEvent& event, RankEvents& events) {
  if (event.phase != "X" || !event.start || !event.name) return;
  const EventKind kind = kind_of(event.category);
  if (kind == EventKind::other || kind == EventKind::copy) return;
  const Index process = events.processes.number(event.process ? event.process->json() : "");
  const TimeSpan span{*event.start * seconds_per_microsecond,
                      (*event.start + event.duration.value_or(0)) * seconds_per_microsecond};
  if (kind == EventKind::kernel) {
    add_kernel(event, span, process, events);
  } else if (kind == EventKind::launch) {
    const auto correlation = number(event, "correlation");
    if (!correlation || !launches_work(*event.name)) return;
    events.launches.push_back({.correlation = *correlation,
                               .start = span.begin,
                               .thread = process,
                               .name = events.launch_names.number(*event.name)});
  } else if (event.name->starts_with("ProfilerStep")) {
    auto& steps = kind == EventKind::gpu_annotation ? events.gpu_steps : events.host_steps;
    steps[process].push_back({std::string(*event.name), span});
  }
}

/// The position of the step that `time` lies in; empty if in none. `steps` ascend.
std::optional<std::size_t> step_at(const StepsOfRank& steps, double time) {
  const auto after =
      std::ranges::upper_bound(steps, time, {}, [](const Step& step) { return step.span.begin; });
  if (after == steps.begin() || time > std::prev(after)->span.end) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

/// Sorts, and joins what overlaps and has the same name: a step that is told twice.
void sort_steps(StepsOfRank& steps) {
  std::ranges::sort(steps, {}, [](const Step& step) { return step.span.begin; });
  std::size_t kept = 0;
  for (std::size_t at = 1; at < steps.size(); ++at) {
    Step& last = steps[kept];
    if (steps[at].name == last.name && steps[at].span.begin < last.span.end) {
      last.span.end = std::max(last.span.end, steps[at].span.end);
    } else if (++kept != at) {
      steps[kept] = std::move(steps[at]);
    }
  }
  if (!steps.empty()) steps.resize(kept + 1);
}

/// The kernels of one rank, in order, by step.
class RankSteps {
 public:
  explicit RankSteps(StepsOfRank steps) : steps_(std::move(steps)) {
    if (steps_.empty()) {
      constexpr double forever = std::numeric_limits<double>::max();
      steps_.push_back({"trace", {-forever, forever}});
    }
    made_.steps.resize(steps_.size());
    for (const Step& step : steps_) made_.step_names.push_back(step.name);
  }

  /// Adds a kernel to the step of its launch. Those before the first one with a launch were
  /// launched before the recording began, so that they are of no step.
  void add_launched(const Kernel& kernel, const Launch* launch,
                    std::vector<CollectiveRun>& collectives) {
    has_begun_ = has_begun_ || launch != nullptr;
    constexpr double never = -std::numeric_limits<double>::infinity();
    const double otherwise = has_begun_ ? kernel.span.begin : never;
    add(kernel, launch != nullptr ? launch->start : otherwise, collectives);
  }

  /// `time` says of which step it is.
  void add(const Kernel& kernel, double time, std::vector<CollectiveRun>& collectives) {
    ++kernels_;
    const auto at = step_at(steps_, time);
    if (!at) {
      ++outside_;
    } else if (kernel.collective == no_collective) {
      made_.steps[*at].computation.push_back(kernel.span);
    } else {
      made_.steps[*at].collectives.push_back(std::move(collectives[kernel.collective]));
    }
  }

  RankTrace take() {
    if (outside_ > 0) {
      made_.remarks.push_back(fmt::format("{} of {} kernels are of no step", outside_, kernels_));
    }
    return std::move(made_);
  }

 private:
  StepsOfRank steps_;
  RankTrace made_;
  std::size_t outside_ = 0;
  std::size_t kernels_ = 0;
  bool has_begun_ = false;
};

/// Takes the events apart by rank: by the process that the trace states for the GPU or, where
/// several processes state the same one, by the process that launched.
class RankSorter {
 public:
  explicit RankSorter(RankEvents& events)
      : events_(events),
        names_(events.launch_names.texts()),
        launches_(std::move(events.launches), names_, own_numbers()) {
    for (auto* const all : {&events_.gpu_steps, &events_.host_steps}) {
      for (auto& [process, steps] : *all) sort_steps(steps);
    }
    std::ranges::sort(events_.kernels, {}, identity);
    // A trace that was merged with itself has each twice.
    if (launches_.told_twice() > 0) {
      const auto twice = std::ranges::unique(events_.kernels, {}, identity);
      events_.told_twice = twice.size();
      events_.kernels.erase(twice.begin(), twice.end());
    }
    std::set<Index> gpus;
    for (const Kernel& kernel : events_.kernels) {
      launches_.vote(kernel.span.begin, links(kernel));
      gpus.insert(kernel.process);
    }
    launches_.settle();
    std::set<Index> hosts;
    for (const Launch& launch : launches_.all()) hosts.insert(launch.thread);
    by_host_ = hosts.size() > gpus.size();
    if (hosts.size() == 1) only_host_ = *hosts.begin();
  }

  /// By the process' text.
  std::map<std::string, RankTrace> sort() {
    std::map<Index, RankSteps> ranks;
    for (const Kernel& kernel : events_.kernels) {
      const Launch* const launch = launches_.take(kernel.span.begin, links(kernel));
      const Index host = launch != nullptr ? launch->thread : only_host_;
      const Index rank = by_host_ && host != no_index ? host : kernel.process;
      const StepsOfRank& on_host = host_steps(host);
      auto found = ranks.find(rank);
      if (found == ranks.end()) {
        found = ranks.emplace(rank, RankSteps(on_host.empty() ? gpu_steps(kernel) : on_host)).first;
      }
      RankSteps& steps = found->second;
      if (on_host.empty() || launches_.all().empty()) {
        steps.add(kernel, kernel.span.begin, events_.collectives);
      } else {
        steps.add_launched(kernel, launch, events_.collectives);
      }
    }
    const std::vector<std::string> names = events_.processes.texts();
    std::map<std::string, RankTrace> traces;
    for (auto& [rank, steps] : ranks) traces.emplace(names[rank], steps.take());
    return traces;
  }

 private:
  static std::tuple<double, double, std::int64_t, Index> identity(const Kernel& one) {
    return {one.span.begin, one.span.end, one.correlation, one.process};
  }
  static WorkLinks links(const Kernel& kernel) {
    return {.correlation = kernel.correlation, .process_name = kernel.process};
  }
  std::vector<Index> own_numbers() const {
    std::vector<Index> numbers(events_.processes.size());
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
  }
  /// Of a process; of one that marked none, those of the only one that did. The host's marks are
  /// whole; the GPU's leave out kernels of other threads (backward's).
  const StepsOfRank& host_steps(Index host) const {
    const auto own = events_.host_steps.find(host);
    if (own != events_.host_steps.end()) return own->second;
    return events_.host_steps.size() == 1 ? events_.host_steps.begin()->second : none_;
  }
  const StepsOfRank& gpu_steps(const Kernel& kernel) const {
    const auto own = events_.gpu_steps.find(kernel.process);
    return by_host_ || own == events_.gpu_steps.end() ? none_ : own->second;
  }

  const StepsOfRank none_{};
  RankEvents& events_;
  std::vector<std::string> names_;
  LaunchTable launches_;
  bool by_host_ = false;
  Index only_host_ = no_index;
};

/// Of those with a name of their own.
std::set<std::string> names_in_common(const std::vector<RankTrace>& traces) {
  std::map<std::string, std::size_t> counts;
  for (const RankTrace& trace : traces) {
    for (const std::string& name : trace.step_names) ++counts[name];
  }
  std::set<std::string> common;
  for (const auto& [name, count] : counts) {
    if (count == traces.size()) common.insert(name);
  }
  return common;
}

void keep_common_steps(std::vector<RankTrace>& traces) {
  const bool are_alike = std::ranges::all_of(traces, [&](const RankTrace& trace) {
    return trace.step_names == traces.front().step_names;
  });
  const std::set<std::string> common = names_in_common(traces);
  if (are_alike) return;
  if (common.empty()) {
    traces.front().remarks.emplace_back(
        "the ranks have no step in common by name: their steps are compared in order");
    return;
  }
  for (RankTrace& trace : traces) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
      if (!common.contains(trace.step_names[at])) continue;
      if (kept != at) {
        trace.steps[kept] = std::move(trace.steps[at]);
        trace.step_names[kept] = std::move(trace.step_names[at]);
      }
      ++kept;
    }
    if (kept == trace.steps.size()) continue;
    trace.remarks.push_back(
        fmt::format("{} of its {} steps are not in the other ranks' traces and are left out",
                    trace.steps.size() - kept, trace.steps.size()));
    trace.steps.resize(kept);
    trace.step_names.resize(kept);
  }
}

}  // namespace

std::vector<RankTrace> read_rank_traces(const std::filesystem::path& file) {
  const ProfileFile document(file, "a trace of PyTorch",
                             "record one of each rank with torch.profiler");
  RankEvents events;
  document.for_each_event([&](const TraceEvent& event) { add_event(event, events); });
  if (events.kernels.empty()) throw document.error("has no kernel with a time");
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world;
  const auto info = document.root().find("distributedInfo");
  if (info != document.root().end() && info->is_object() && info->contains("rank")) {
    rank = document.guard([&] { return info->at("rank").get<std::int64_t>(); });
    world = document.guard([&] { return optional_member<std::int64_t>(*info, "world_size"); });
  }
  std::vector<RankTrace> traces;
  auto sorted = RankSorter(events).sort();
  const bool is_merged = sorted.size() > 1;
  for (auto& [process, one] : sorted) {
    RankTrace& trace = traces.emplace_back(std::move(one));
    trace.number = std::numeric_limits<std::int64_t>::max();
    trace.name = file.filename().string() + (is_merged ? ":" + process : "");
    if (rank && !is_merged) {
      trace.number = *rank;
      trace.world = world;
      trace.name = std::to_string(*rank);
    }
  }
  for (std::string& remark : document.remarks()) traces.front().remarks.push_back(remark);
  if (events.told_twice > 0) {
    traces.front().remarks.push_back(
        fmt::format("{} of its kernels stand there twice and count once", events.told_twice));
  }
  if (events.without_time > 0) {
    traces.front().remarks.push_back(
        fmt::format("{} kernels without a time are left out", events.without_time));
  }
  return traces;
}

void join_ranks(std::vector<RankTrace>& traces) {
  std::ranges::stable_sort(traces, {}, &RankTrace::number);
  constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
  const auto same = std::ranges::adjacent_find(traces, [](const RankTrace& a, const RankTrace& b) {
    return a.number == b.number && a.number != unknown;
  });
  if (same != traces.end()) {
    throw Error(fmt::format("two of the traces are of rank {}: name one of each rank", same->name));
  }
  keep_common_steps(traces);
  const auto world = traces.front().world;
  if (world && *world > static_cast<std::int64_t>(traces.size())) {
    traces.front().remarks.push_back(
        fmt::format("{} of the job's {} ranks are here: who is waited for is told among them",
                    traces.size(), *world));
  }
}

}  // namespace benanza::analysis::kineto
