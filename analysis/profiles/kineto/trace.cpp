#include "analysis/profiles/kineto/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/kineto/event_reader.h"
#include "analysis/profiles/kineto/launch_table.h"

namespace benanza::analysis::kineto {
namespace {

using nlohmann::json;

/// Most traces are in order; sorting takes memory.
template <class Range, class Less>
void sort_stably(Range& range, Less less) {
  if (!std::is_sorted(range.begin(), range.end(), less)) {
    std::stable_sort(range.begin(), range.end(), less);
  }
}

class Assembler {
 public:
  explicit Assembler(const ProfileFile& document)
      : document_(document), events_(read_events(document)) {}

  Trace assemble() {
    // On a processor, work has the names of operators.
    if (events_.work.empty()) {
      for (const Op& op : events_.ops) name_of_op_.push_back(events_.names.number(op.name));
    }
    names_ = std::move(events_.names).texts();
    demand();
    number_processes();
    order_calls();
    if (trace_.on_processor) {
      take_own_work();
    } else {
      take_gpu_work();
    }
    sort_stably(trace_.work, [](const Work& a, const Work& b) { return a.start < b.start; });
    take_marks(events_.steps, trace_.steps);
    take_marks(events_.waits, trace_.waits);
    read_device();
    trace_.ops = std::move(events_.ops);
    trace_.names = std::move(names_);
    return std::move(trace_);
  }

 private:
  void demand() {
    if (document_.events() == 0) throw document_.error("has no events in its trace");
    const auto [launches, of_graphs] = count_launches();
    if (events_.work.empty() && events_.kernels_without_start > 0) {
      throw document_.error(fmt::format("has no GPU work with a start: {} kernel{} without \"ts\"",
                                        events_.kernels_without_start,
                                        events_.kernels_without_start == 1 ? " is" : "s are"));
    }
    if (events_.work.empty() && launches > 0) {
      throw document_.error(fmt::format(
          "has no GPU work, but {} launch{} of it: another profiler (nsys, ncu, DCGM, a second "
          "torch.profiler) may have taken CUPTI over: record without it",
          launches, launches == 1 ? "" : "es"));
    }
    if (events_.calls.empty() && events_.work.empty() && events_.launches.empty() &&
        !has_own_categories()) {
      throw document_.error("has no operators of a framework known here: " + told_categories());
    }
    // Replays of a graph have no operators.
    if (events_.calls.empty() && (events_.work.empty() || of_graphs == 0)) {
      throw document_.error("has no operators: trace with ProfilerActivity.CPU");
    }
    if (events_.work.empty() && !events_.launches.empty()) {
      throw document_.error(
          "has calls of a device's runtime and no work of the device: run the model on a GPU, with "
          "ProfilerActivity.CUDA (work of other accelerators' own categories is not read)");
    }
    trace_.on_processor = events_.work.empty();
    if (!events_.has_shapes && !events_.calls.empty()) {
      throw document_.error("has no shapes: trace with record_shapes=True");
    }
    if (events_.without_start > 0) {
      remark("{} of the trace's events state no start and are left out", events_.without_start);
    }
    if (events_.kernels_without_time > 0) {
      remark("{} of {} kernels state no time: what they took is missing",
             events_.kernels_without_time, events_.kernels);
    }
    if (events_.kernels_of_no_time > 0) {
      remark("{} of {} kernels take 0 us by the trace, or less: less than its clock tells",
             events_.kernels_of_no_time, events_.kernels);
    }
  }

  /// Some that PyTorch's profiler writes beside operators.
  bool has_own_categories() const {
    constexpr std::string_view own[] = {"python_function",
                                        "user_annotation",
                                        "cpu_instant_event",
                                        "gpu_user_annotation",
                                        "cuda_sync",
                                        "overhead",
                                        "ac2g",
                                        "fwdbwd",
                                        "Trace"};
    return std::ranges::any_of(own, [&](std::string_view category) {
      return document_.categories().contains(std::string(category));
    });
  }

  std::string told_categories() const {
    if (document_.categories().empty()) return "its events name no categories";
    std::string all;
    for (const std::string& category : document_.categories()) {
      all += (all.empty() ? "" : ", ") + category;
    }
    return "its events are of other categories (" + all + ")";
  }

  struct LaunchCounts {
    std::size_t all = 0;
    std::size_t of_graphs = 0;
  };
  LaunchCounts count_launches() const {
    LaunchCounts counts;
    for (const Launch& launch : events_.launches) {
      if (!launches_work(names_[launch.name])) continue;
      ++counts.all;
      if (launches_graph(names_[launch.name])) ++counts.of_graphs;
    }
    return counts;
  }

  template <class... Values>
  void remark(fmt::format_string<const Values&...> text, const Values&... values) {
    trace_.remarks.push_back(fmt::format(text, values...));
  }

  /// Numbers the processes that called operators in the order of their first calls. All else
  /// belongs to the only one, if there is only one.
  void number_processes() {
    process_of_.assign(events_.process_names.size(), no_index);
    Index count = 0;
    for (const OpCall& call : events_.calls) {
      Index& process = process_of_[events_.threads[call.thread]];
      if (process == no_index) process = count++;
    }
    // Without operators, processes are told by what they launched.
    if (events_.calls.empty()) {
      for (const Launch& launch : events_.launches) {
        Index& process = process_of_[events_.threads[launch.thread]];
        if (process == no_index) process = count++;
      }
    }
    constexpr Index most = 1000;
    if (count > most) throw document_.error("is of more than 1000 processes");
    trace_.processes = static_cast<std::uint16_t>(count);
    if (count > 1) return;
    std::ranges::fill(process_of_, 0);
  }

  std::uint16_t process(Index name) const {
    const Index number = process_of_[name];
    return number == no_index ? 0 : static_cast<std::uint16_t>(number);
  }
  std::uint16_t process_of_thread(Index thread) const { return process(events_.threads[thread]); }

  void order_calls() {
    trace_.calls = std::move(events_.calls);
    sort_stably(trace_.calls, [](const OpCall& a, const OpCall& b) {
      return a.start < b.start || (a.start == b.start && a.end > b.end);
    });
    by_thread_.resize(events_.threads.size());
    std::vector<std::vector<Index>> open(events_.threads.size());
    for (Index index = 0; index < trace_.calls.size(); ++index) {
      OpCall& call = trace_.calls[index];
      std::vector<Index>& stack = open[call.thread];
      while (!stack.empty() && trace_.calls[stack.back()].end <= call.start) stack.pop_back();
      if (!stack.empty()) call.parent = stack.back();
      call.process = process_of_thread(call.thread);
      stack.push_back(index);
      by_thread_[call.thread].push_back(index);
    }
  }

  void take_own_work() {
    std::vector<double> own;
    own.reserve(trace_.calls.size());
    for (const OpCall& call : trace_.calls) {
      own.push_back(call.end - call.start);
      if (call.parent != no_index) own[call.parent] -= call.end - call.start;
    }
    for (std::size_t index = 0; index < own.size(); ++index) {
      const OpCall& call = trace_.calls[index];
      trace_.work.push_back({.start = call.start,
                             .end = call.start + std::max(0.0, own[index]),
                             .name = name_of_op_[call.op],
                             .call = static_cast<Index>(index),
                             .process = call.process});
    }
  }

  void take_gpu_work() {
    LaunchTable launches(std::move(events_.launches), names_, events_.threads);
    place_launches(launches.all());
    // Ranks may have equal numbers, and the times of a made trace; only equal launches tell.
    const std::size_t twice = trace_.processes > 1 && launches.told_twice() == 0
                                  ? 0
                                  : drop_told_twice(events_.work, events_.links);
    if (twice > 0) {
      remark("{} of its kernels and copies stand there twice and count once", twice);
    }
    trace_.work = std::move(events_.work);
    if (trace_.processes > 1) {
      for (std::size_t at = 0; at < trace_.work.size(); ++at) {
        launches.vote(trace_.work[at].start, events_.links[at]);
      }
      launches.settle();
    }
    std::size_t of_graphs = 0;
    std::size_t outside = 0;
    for (std::size_t at = 0; at < trace_.work.size(); ++at) {
      Work& work = trace_.work[at];
      const Launch* const launch = launches.take(work.start, events_.links[at]);
      const bool is_of_graph =
          launch != nullptr ? launches.is_graph(*launch) : events_.links[at].in_graph;
      attribute(work, events_.links[at], launch, is_of_graph);
      if (is_of_graph) {
        ++of_graphs;
      } else if (work.call == no_index) {
        ++outside;
      }
      note_place(work, events_.links[at]);
      const bool has_time = work.end > work.start;
      if (!has_time && work.call != no_index) trace_.calls[work.call].lacks_kernels = true;
    }
    std::vector<WorkLinks>().swap(events_.links);
    note_lost(launches, of_graphs, outside);
  }

  /// What the times between kernels depend on.
  void note_place(const Work& work, const WorkLinks& links) {
    constexpr double unit_of_clock = 1;
    if (work.has_launch() && work.start < work.launched - unit_of_clock) ++before_launch_;
    const bool is_its = work.has_launch() || work.call != no_index;
    if (is_its && links.device != no_device) devices_[work.process].insert(links.device);
  }

  /// Finds the innermost operator that was running in the thread of each launch.
  void place_launches(std::span<Launch> launches) const {
    for (Launch& launch : launches) {
      const std::vector<Index>& calls = by_thread_[launch.thread];
      auto next = std::upper_bound(
          calls.begin(), calls.end(), launch.start,
          [&](double start, Index call) { return start < trace_.calls[call].start; });
      if (next == calls.begin()) continue;
      Index call = *--next;
      while (call != no_index && trace_.calls[call].end < launch.start) {
        call = trace_.calls[call].parent;
      }
      launch.call = call;
    }
  }

  /// What a CUDA graph holds is not the work of the operator around its launch.
  void attribute(Work& work, const WorkLinks& links, const Launch* launch, bool is_of_graph) {
    work.process = process(links.process_name);
    if (launch != nullptr) {
      work.launched = launch->start;
      work.launcher = launch->name;
      work.process = process_of_thread(launch->thread);
    }
    if (is_of_graph) return;
    if (launch != nullptr) work.call = launch->call;
    if (work.call != no_index || links.external == no_id) return;
    if (!has_externals_) order_externals();
    work.call = call_of_external(links);
    if (work.call != no_index) work.process = trace_.calls[work.call].process;
  }

  /// The last call with this id, of the work's own process. Other processes may count alike: then
  /// it is not known whose the work is.
  Index call_of_external(const WorkLinks& links) const {
    const Index own = process_of_[links.process_name];
    Index found = no_index;
    for (const auto& [id, call] : std::ranges::equal_range(
             by_external_, links.external, {}, &std::pair<std::int64_t, Index>::first)) {
      const std::uint16_t process = trace_.calls[call].process;
      if (trace_.processes > 1 && own != no_index && process != own) continue;
      if (found != no_index && trace_.calls[found].process != process) return no_index;
      found = call;
    }
    return found;
  }

  void order_externals() {
    has_externals_ = true;
    by_external_.reserve(trace_.calls.size());
    for (std::size_t index = 0; index < trace_.calls.size(); ++index) {
      const std::int64_t external = trace_.calls[index].external;
      if (external != no_id) by_external_.emplace_back(external, static_cast<Index>(index));
    }
    std::ranges::sort(by_external_);
  }

  /// Says what cannot be told by operator. The profiler may drop kernels: their launches remain.
  void note_lost(const LaunchTable& launches, std::size_t of_graphs, std::size_t outside) {
    const std::size_t all = trace_.work.size();
    if (of_graphs > 0) {
      remark(
          "{:.1f}% of the GPU's work ({} of {} kernels and copies) ran in CUDA graphs that this "
          "trace cannot take apart by operator: record with benanza-record",
          100.0 * static_cast<double>(of_graphs) / static_cast<double>(all), of_graphs, all);
    }
    if (outside > 0) {
      remark(
          "{} of {} kernels and copies belong to no operator: they were launched outside of "
          "PyTorch's, or their launch is not in the trace",
          outside, all);
    }
    if (before_launch_ > 0) {
      remark(
          "{} of {} kernels and copies begin before their launch: the clocks of host and GPU "
          "differ, so times of waiting are not exact",
          before_launch_, all);
    }
    std::size_t most_devices = 0;
    for (const auto& [process, devices] : devices_) {
      most_devices = std::max(most_devices, devices.size());
    }
    if (most_devices > 1) trace_.remarks.push_back(of_several_devices(most_devices));
    const LaunchTable::Lost lost = launches.lost([&](const Launch& launch) {
      if (launch.call != no_index) trace_.calls[launch.call].lacks_kernels = true;
    });
    if (lost.lost > 0) {
      remark("{} of {} launches have no kernel in the trace: what these took is missing", lost.lost,
             lost.all);
    }
  }

  void take_marks(const std::vector<Mark>& marks, std::vector<Stretch>& stretches) const {
    for (const Mark& mark : marks) {
      stretches.push_back({mark.start, mark.end, process(mark.process_name)});
    }
    std::ranges::sort(stretches, [](const Stretch& a, const Stretch& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
  }

  void read_device() {
    const json& root = document_.root();
    const auto devices = root.find("deviceProperties");
    if (devices == root.end() || !devices->is_array() || devices->empty()) return;
    const auto is_used = [&](const json& device) {
      const auto id = device.is_object() ? device.find("id") : device.end();
      return events_.device && id != device.end() && id->is_number() &&
             id->get<std::int64_t>() == *events_.device;
    };
    const auto used = std::ranges::find_if(*devices, is_used);
    const json& device = used == devices->end() ? devices->front() : *used;
    const auto name = device.is_object() ? device.find("name") : device.end();
    if (name != device.end() && name->is_string()) trace_.device = name->get<std::string>();
  }

  const ProfileFile& document_;
  Events events_;
  Trace trace_;
  std::vector<std::string> names_;
  std::vector<Index> name_of_op_;
  std::vector<Index> process_of_;
  std::vector<std::vector<Index>> by_thread_;
  std::vector<std::pair<std::int64_t, Index>> by_external_;
  bool has_externals_ = false;
  std::size_t before_launch_ = 0;
  std::map<std::uint16_t, std::set<std::int16_t>> devices_;
};

}  // namespace

std::string of_several_devices(std::size_t count) {
  return fmt::format("a process ran on {} GPUs, which count as one: busy is when any of them is",
                     count);
}

bool launches_graph(std::string_view name) { return name.find("Graph") != std::string_view::npos; }

Trace read_trace(const ProfileFile& document) { return Assembler(document).assemble(); }

}  // namespace benanza::analysis::kineto
