#include "analysis/profiles/kineto/rank_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/profiles/file/profile_file.h"

namespace benanza::analysis::kineto {
namespace {

constexpr double seconds_per_microsecond = 1e-6;

struct Kernel {
  TimeSpan span{};
  std::optional<std::int64_t> correlation{};
  /// Of a collective: its name is not empty.
  CollectiveRun collective{};
};

struct Step {
  std::string name{};
  TimeSpan span{};
};
using Steps = std::vector<Step>;

/// What a file says, in seconds.
struct RankEvents {
  /// By the process that the trace states for the GPU.
  std::map<std::string, std::vector<Kernel>> kernels{};
  std::map<std::string, Steps> gpu_steps{};
  Steps host_steps{};
  std::unordered_map<std::int64_t, double> launches{};
  std::size_t without_time = 0;
};

double element_size(std::string_view type) {
  constexpr std::pair<std::string_view, double> sizes[] = {
      {"Float", 4}, {"Half", 2}, {"BFloat16", 2}, {"Double", 8}, {"Long", 8},
      {"Int", 4},   {"Byte", 1}, {"Char", 1},     {"Bool", 1}};
  for (const auto& [name, bytes] : sizes) {
    if (name == type) return bytes;
  }
  return 0;
}

std::optional<std::int64_t> number(const TraceEvent& event, std::string_view name) {
  const auto value = event.argument(name);
  return value ? value->integer() : std::nullopt;
}

CollectiveRun collective_of(const TraceEvent& event, TimeSpan span) {
  CollectiveRun run{.name = std::string(*event.name), .span = span};
  const auto elements = number(event, "In msg nelems");
  const double size = element_size(event.text_argument("dtype"));
  if (elements && size > 0) run.bytes = static_cast<double>(*elements) * size;
  if (const auto ranks = number(event, "Group size")) run.ranks = static_cast<int>(*ranks);
  return run;
}

void add_kernel(const TraceEvent& event, TimeSpan span, const std::string& process,
                RankEvents& events) {
  if (span.end <= span.begin) {
    ++events.without_time;
    return;
  }
  Kernel kernel{.span = span, .correlation = number(event, "correlation")};
  if (event.name->starts_with("nccl")) kernel.collective = collective_of(event, span);
  events.kernels[process].push_back(std::move(kernel));
}

void add_event(const TraceEvent& event, RankEvents& events) {
  if (event.phase != "X" || !event.start || !event.name) return;
  const std::string process = event.process ? event.process->json() : "";
  const TimeSpan span{*event.start * seconds_per_microsecond,
                      (*event.start + event.duration.value_or(0)) * seconds_per_microsecond};
  const bool is_step = event.name->starts_with("ProfilerStep");
  if (event.category == "kernel") {
    add_kernel(event, span, process, events);
  } else if (event.category == "cuda_runtime" || event.category == "cuda_driver") {
    const auto correlation = number(event, "correlation");
    if (correlation) events.launches.emplace(*correlation, span.begin);
  } else if (event.category == "gpu_user_annotation" && is_step) {
    events.gpu_steps[process].push_back({std::string(*event.name), span});
  } else if (event.category == "user_annotation" && is_step) {
    events.host_steps.push_back({std::string(*event.name), span});
  }
}

/// The position of the step that `time` lies in; empty if in none. `steps` ascend.
std::optional<std::size_t> step_at(const Steps& steps, double time) {
  const auto after =
      std::ranges::upper_bound(steps, time, {}, [](const Step& step) { return step.span.begin; });
  if (after == steps.begin() || time > std::prev(after)->span.end) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

void sort_steps(Steps& steps) {
  std::ranges::sort(steps, {}, [](const Step& step) { return step.span.begin; });
}

/// Puts the kernels of a process into steps, each by `time_of` it.
template <class TimeOf>
RankTrace in_steps(std::vector<Kernel> kernels, Steps steps, TimeOf time_of) {
  RankTrace made;
  std::ranges::stable_sort(kernels, {}, [](const Kernel& kernel) { return kernel.span.begin; });
  if (steps.empty()) {
    constexpr double forever = std::numeric_limits<double>::max();
    steps.push_back({"trace", {-forever, forever}});
  }
  made.steps.resize(steps.size());
  for (const Step& step : steps) made.step_names.push_back(step.name);
  std::size_t outside = 0;
  for (Kernel& kernel : kernels) {
    const auto at = step_at(steps, time_of(kernel));
    if (!at) {
      ++outside;
    } else if (kernel.collective.name.empty()) {
      made.steps[*at].computation.push_back(kernel.span);
    } else {
      made.steps[*at].collectives.push_back(std::move(kernel.collective));
    }
  }
  if (outside > 0) {
    made.remarks.push_back(fmt::format("{} of {} kernels are of no step", outside, kernels.size()));
  }
  return made;
}

/// Steps of the GPU where the trace has them; else by launches, whose numbers only one process has;
/// else by when a kernel began.
RankTrace trace_of(const std::string& process, std::vector<Kernel> kernels, RankEvents& events) {
  const auto on_gpu = events.gpu_steps.find(process);
  const auto begin = [](const Kernel& kernel) { return kernel.span.begin; };
  if (on_gpu != events.gpu_steps.end()) {
    sort_steps(on_gpu->second);
    return in_steps(std::move(kernels), on_gpu->second, begin);
  }
  if (events.kernels.size() > 1) return in_steps(std::move(kernels), events.host_steps, begin);
  return in_steps(std::move(kernels), events.host_steps, [&](const Kernel& kernel) {
    const auto launch =
        kernel.correlation ? events.launches.find(*kernel.correlation) : events.launches.end();
    return launch == events.launches.end() ? kernel.span.begin : launch->second;
  });
}

}  // namespace

std::vector<RankTrace> read_rank_traces(const std::filesystem::path& file) {
  const ProfileFile document(file, "a trace of PyTorch",
                             "record one of each rank with torch.profiler");
  RankEvents events;
  document.for_each_event([&](const TraceEvent& event) { add_event(event, events); });
  if (events.kernels.empty()) throw document.error("has no kernel with a time");
  sort_steps(events.host_steps);
  std::optional<std::int64_t> rank;
  const auto info = document.root().find("distributedInfo");
  if (info != document.root().end() && info->is_object() && info->contains("rank")) {
    rank = document.guard([&] { return info->at("rank").get<std::int64_t>(); });
  }
  std::vector<RankTrace> traces;
  const bool is_merged = events.kernels.size() > 1;
  const auto kernels_of = events.kernels;
  for (const auto& [process, kernels] : kernels_of) {
    RankTrace& trace = traces.emplace_back(trace_of(process, kernels, events));
    trace.number = std::numeric_limits<std::int64_t>::max();
    trace.name = file.filename().string() + (is_merged ? ":" + process : "");
    if (rank && !is_merged) {
      trace.number = *rank;
      trace.name = std::to_string(*rank);
    }
  }
  for (std::string& remark : document.remarks()) traces.front().remarks.push_back(remark);
  if (events.without_time > 0) {
    traces.front().remarks.push_back(
        fmt::format("{} kernels without a time are left out", events.without_time));
  }
  return traces;
}

}  // namespace benanza::analysis::kineto
