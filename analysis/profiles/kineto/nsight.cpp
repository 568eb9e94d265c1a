#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/input/nsight_export.h"
#include "analysis/profiles/kineto/runs.h"
#include "analysis/profiles/profile.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using kineto::Index;
using kineto::no_index;

/// In microseconds.
constexpr double one_nanosecond = 1e-3;

/// The events of an export as those of PyTorch's profiler: ranges are its operators.
class ExportTrace {
 public:
  explicit ExportTrace(const DeviceRecording& recording) : recording_(recording) {}

  kineto::Trace make() {
    trace_.names = recording_.names;
    for (const std::string& name : trace_.names) trace_.ops.push_back({.name = name});
    number_processes();
    add_ranges();
    add_work();
    for (const auto& call : recording_.api) {
      if (trace_.names[call.name].find("Synchronize") == std::string::npos) continue;
      const double start = static_cast<double>(call.start) * one_nanosecond;
      trace_.waits.push_back({start, start, process(call.process)});
    }
    return std::move(trace_);
  }

 private:
  using Thread = std::pair<std::int64_t, std::int64_t>;

  /// Those that ran kernels.
  void number_processes() {
    for (const auto& work : recording_.work) {
      processes_.try_emplace(work.process, static_cast<std::uint16_t>(processes_.size()));
    }
    trace_.processes = static_cast<std::uint16_t>(std::max<std::size_t>(1, processes_.size()));
  }
  std::uint16_t process(std::int64_t id) const {
    const auto found = processes_.find(id);
    return found == processes_.end() ? 0 : found->second;
  }

  void add_ranges() {
    std::map<Thread, std::vector<Index>> open;
    for (const auto& range : recording_.ranges) {
      const double start = static_cast<double>(range.start) * one_nanosecond;
      std::vector<Index>& stack = open[{range.process, range.thread}];
      while (!stack.empty() && trace_.calls[stack.back()].end <= start) stack.pop_back();
      const auto index = static_cast<Index>(trace_.calls.size());
      trace_.calls.push_back({.start = start,
                              .end = static_cast<double>(*range.end) * one_nanosecond,
                              .op = range.name,
                              .parent = stack.empty() ? no_index : stack.back(),
                              .process = process(range.process)});
      stack.push_back(index);
      by_thread_[{range.process, range.thread}].push_back(index);
    }
  }

  Index range_around(const DeviceRecording::Api& call) const {
    const auto thread = by_thread_.find({call.process, call.thread});
    if (thread == by_thread_.end()) return no_index;
    const double start = static_cast<double>(call.start) * one_nanosecond;
    const auto next = std::ranges::upper_bound(
        thread->second, start, {}, [&](Index range) { return trace_.calls[range].start; });
    if (next == thread->second.begin()) return no_index;
    Index range = *std::prev(next);
    while (range != no_index && trace_.calls[range].end < start) range = trace_.calls[range].parent;
    return range;
  }

  /// What a call and its work have in common; numbers come again after 32 bits.
  static std::pair<std::int64_t, std::uint32_t> correlation_of(const auto& event) {
    return {event.process, event.correlation};
  }

  /// By correlation, then by start.
  void order_launches() {
    launches_.resize(recording_.api.size());
    std::iota(launches_.begin(), launches_.end(), Index{0});
    const auto correlation = [&](Index call) { return correlation_of(recording_.api[call]); };
    if (!std::ranges::is_sorted(launches_, {}, correlation)) {
      std::ranges::stable_sort(launches_, {}, correlation);
    }
  }

  /// The last one before the work; null if there is none.
  const DeviceRecording::Api* launch_of(const DeviceRecording::Work& work) const {
    const auto found =
        std::ranges::equal_range(launches_, correlation_of(work), {},
                                 [&](Index call) { return correlation_of(recording_.api[call]); });
    if (found.empty()) return nullptr;
    const auto after = std::ranges::upper_bound(
        found, work.start, {}, [&](Index call) { return recording_.api[call].start; });
    return &recording_.api[after == found.begin() ? *after : *std::prev(after)];
  }

  void add_work() {
    order_launches();
    trace_.work.reserve(recording_.work.size());
    std::size_t of_graphs = 0;
    for (const auto& work : recording_.work) {
      kineto::Work& one = trace_.work.emplace_back(
          kineto::Work{.start = static_cast<double>(work.start) * one_nanosecond,
                       .end = static_cast<double>(work.end) * one_nanosecond,
                       .name = work.name,
                       .process = process(work.process)});
      const DeviceRecording::Api* const launch = launch_of(work);
      if (launch == nullptr) continue;
      one.launched = static_cast<double>(launch->start) * one_nanosecond;
      one.launcher = launch->name;
      if (kineto::launches_graph(trace_.names[one.launcher])) {
        ++of_graphs;
      } else {
        one.call = range_around(*launch);
      }
    }
    if (launches_.empty()) {
      trace_.remarks.push_back(
          "it has no launches: its kernels are of no range, and idle time has no cause");
    }
    std::map<std::int64_t, std::set<std::uint32_t>> devices;
    for (const auto& work : recording_.work) devices[work.process].insert(work.device);
    std::size_t most_devices = 0;
    for (const auto& [id, own] : devices) most_devices = std::max(most_devices, own.size());
    if (most_devices > 1) trace_.remarks.push_back(kineto::of_several_devices(most_devices));
    if (of_graphs > 0) {
      trace_.remarks.push_back(fmt::format("{} of {} kernels and copies ran in CUDA graphs",
                                           of_graphs, recording_.work.size()));
    }
  }

  const DeviceRecording& recording_;
  kineto::Trace trace_;
  std::map<std::int64_t, std::uint16_t> processes_;
  std::map<Thread, std::vector<Index>> by_thread_;
  /// Into the recording's calls.
  std::vector<Index> launches_;
};

}  // namespace

Profile nsight_profile(const std::filesystem::path& path) {
  const DeviceRecording recording = read_nsight_export(path);
  if (recording.work.empty()) {
    const std::string notes = recording.notes.empty() ? "" : ": " + recording.notes.front().text;
    throw Error(path.string() + ": is an export of Nsight Systems without a kernel" + notes +
                "; trace with nsys profile "
                "--trace=cuda,nvtx, or record the program with benanza-record");
  }
  kineto::Trace trace = ExportTrace(recording).make();
  kineto::ModelRun run = kineto::model_run(trace);
  Profile profile{.path = path, .framework = "nsight-systems"};
  profile.nodes = std::move(run.nodes);
  profile.timeline = run.timeline;
  profile.steps = run.used;
  profile.repeats = run.is_undivided ? repeats(profile.nodes) : 1;
  for (std::vector<std::string>* const remarks : {&trace.remarks, &run.remarks}) {
    profile.remarks.insert(profile.remarks.end(), remarks->begin(), remarks->end());
  }
  for (const auto& note : recording.notes) profile.remarks.push_back(note.text);
  const std::uint32_t used = recording.work.front().device;
  for (const auto& device : recording.devices) {
    if (profile.device.empty() || device.id == used) profile.device = device.name;
  }
  return profile;
}

}  // namespace benanza::analysis
