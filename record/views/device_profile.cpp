#include "record/views/device_profile.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/library/algorithm.h"
#include "core/library/kernel_name.h"
#include "core/problem/problem.h"
#include "record/store/launches.h"
#include "record/views/device_time.h"
#include "record/views/nested.h"

namespace benanza {
namespace {

using GpuWork = DeviceRecording::Work;
using Kind = DeviceRecording::Work::Kind;

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

/// Rows by name, in order of first use.
class Rows {
 public:
  DeviceRow& operator[](const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back({.name = name});
    return rows_[place->second];
  }
  std::vector<DeviceRow> sorted() {
    std::ranges::stable_sort(rows_, [](const DeviceRow& a, const DeviceRow& b) {
      if (a.device_seconds != b.device_seconds) return a.device_seconds > b.device_seconds;
      return a.exclusive_seconds > b.exclusive_seconds;
    });
    return std::move(rows_);
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<DeviceRow> rows_;
};

using Threads = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Nested>>;

class Profiler {
 public:
  Profiler(const DeviceRecording& recording, const std::vector<GpuCall>& calls)
      : recording_(recording), calls_(calls), launches_(recording) {}

  DeviceProfile profile() {
    result_.lost_events = recording_.lost_events;
    work();
    library_calls();
    api();
    ranges();
    threads();
    result_.devices = device_times(recording_, launches_);
    result_.framework = framework_rows(recording_);
    return std::move(result_);
  }

 private:
  void work() {
    Rows kernels;
    Rows copies;
    for (const GpuWork& work : recording_.work) {
      const std::string& name = recording_.names[work.name];
      const double time = seconds(work.nanoseconds());
      DeviceRow& row = work.kind == Kind::copy ? copies[name] : kernels[name];
      ++row.calls;
      row.exclusive_seconds += time;
      row.inclusive_seconds += time;
      row.bytes += static_cast<double>(work.bytes);
      if (work.kind == Kind::copy) continue;
      ++result_.kernel_count;
      result_.kernel_seconds += time;
      const auto tensor = uses_tensor_cores(work.name);
      (tensor ? *tensor ? result_.tensor_core_seconds : result_.plain_seconds
              : result_.unknown_tensor_core_seconds) += time;
    }
    result_.kernels = kernels.sorted();
    result_.copies = copies.sorted();
  }

  std::optional<bool> uses_tensor_cores(std::uint32_t name) {
    const auto [place, is_new] = tensor_cores_.try_emplace(name);
    if (is_new) {
      const KernelTraits traits = kernel_traits(recording_.names[name]);
      // Copies and fills do no arithmetic.
      place->second = traits.role == KernelRole::work ? traits.tensor_cores : std::optional(false);
    }
    return place->second;
  }

  /// What the GPU did for each of the calls.
  struct WorkOfCalls {
    explicit WorkOfCalls(std::size_t calls)
        : seconds(calls), runs(calls), products(calls), kernels(calls) {}

    /// How often a call ran; 0 if nothing is known to be its work.
    std::int64_t count(std::size_t call) const {
      std::int64_t count = 0;
      for (const auto& [node, ran] : runs[call]) count = std::max(count, node ? ran : 1);
      return count;
    }

    std::vector<double> seconds;
    // Runs per graph node: a call captured in a graph runs as often as the graph.
    std::vector<std::map<std::optional<std::int64_t>, std::int64_t>> runs;
    std::vector<std::optional<Precision>> products;
    std::vector<std::vector<std::string>> kernels;
  };

  WorkOfCalls work_of_calls(const Attribution& attribution) {
    WorkOfCalls all(calls_.size());
    for (std::size_t at = 0; at < attribution.owners.size(); ++at) {
      const GpuWork& work = recording_.work[at];
      const auto owner = attribution.owners[at];
      const double time = seconds(work.nanoseconds());
      if (work.kind == Kind::kernel && is_library_kernel(work.name)) {
        result_.library_kernel_seconds += time;
        if (owner && !calls_[*owner].text.problem.empty()) {
          result_.known_library_kernel_seconds += time;
        }
      }
      if (!owner) continue;
      all.seconds[*owner] += time;
      ++all.runs[*owner][work.node];
      if (!all.products[*owner]) all.products[*owner] = products_of(work.name);
      if (work.kind == Kind::kernel && !tells_algorithm(calls_[*owner].text)) {
        const std::string& name = recording_.names[work.name];
        std::vector<std::string>& kernels = all.kernels[*owner];
        if (std::ranges::find(kernels, name) == kernels.end()) kernels.push_back(name);
      }
    }
    return all;
  }

  void library_calls() {
    const Attribution attribution = attribute(recording_, launches_, calls_);
    const WorkOfCalls work = work_of_calls(attribution);
    const std::vector<bool> searches = searching(attribution);
    Rows rows;
    std::vector<std::pair<double, double>> speeds;
    using Same = std::tuple<CallText, std::optional<Precision>, std::vector<std::string>>;
    std::map<Same, LibraryCallTime> by_text;
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      // Another call made it and includes its time.
      if (attribution.made_by[at]) continue;
      const std::int64_t count = work.count(at);
      const double time = work.seconds[at];
      DeviceRow& row = rows[searches[at] ? "search for algorithms" : call_name(calls_[at].text)];
      row.calls += std::max<std::int64_t>(count, 1);
      row.exclusive_seconds += time;
      row.inclusive_seconds += time;
      if (searches[at]) {
        ++result_.searching_calls;
        result_.searching_seconds += time;
        continue;
      }
      if (count > 0) {
        LibraryCallTime& same = by_text[{calls_[at].text, work.products[at], work.kernels[at]}];
        same.calls += count;
        same.seconds += time;
      }
      const auto flops = flops_of(calls_[at].text.problem);
      if (count == 0 || !flops || time <= 0) continue;
      speeds.emplace_back(*flops * static_cast<double>(count) / time, time);
      result_.known_arithmetic_seconds += time;
    }
    result_.library_calls = rows.sorted();
    for (auto& [key, time] : by_text) {
      std::tie(time.text, time.products, time.kernels) = key;
      result_.library_call_times.push_back(std::move(time));
    }
    std::ranges::stable_sort(result_.library_call_times, std::greater<>{},
                             &LibraryCallTime::seconds);
    throughput(std::move(speeds));
  }

  /// The part of the known arithmetic's time at each speed or less, of pairs of speed and time.
  void throughput(std::vector<std::pair<double, double>> speeds) {
    std::ranges::sort(speeds);
    double sum = 0;
    for (const auto& [speed, time] : speeds) {
      sum += time;
      const double part = sum / result_.known_arithmetic_seconds;
      if (!result_.throughput.empty() && result_.throughput.back().flops_per_second == speed) {
        result_.throughput.back().part = part;
      } else {
        result_.throughput.push_back({speed, part});
      }
    }
  }

  /// For every call whether it belongs to a search for an algorithm, process by process.
  std::vector<bool> searching(const Attribution& attribution) const {
    std::map<std::int64_t, std::vector<std::size_t>> of_process;
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      if (!attribution.made_by[at]) of_process[calls_[at].process].push_back(at);
    }
    std::vector<bool> found(calls_.size());
    for (const auto& [process, places] : of_process) {
      std::vector<const CallText*> texts;
      for (const std::size_t place : places) texts.push_back(&calls_[place].text);
      const std::vector<bool> search = search_calls(texts);
      for (std::size_t at = 0; at < places.size(); ++at) found[places[at]] = search[at];
    }
    return found;
  }

  static bool tells_algorithm(const CallText& text) {
    return !suite_algorithm(text.implementation).empty();
  }

  std::optional<Precision> products_of(std::uint32_t name) {
    const auto [place, is_new] = products_.try_emplace(name);
    if (is_new) place->second = kernel_traits(recording_.names[name]).products;
    return place->second;
  }

  bool is_library_kernel(std::uint32_t name) {
    const auto [place, is_new] = library_kernels_.try_emplace(name);
    if (is_new) place->second = ::benanza::is_library_kernel(recording_.names[name]);
    return place->second;
  }

  std::optional<double> flops_of(const std::string& problem) {
    const auto [place, is_new] = flops_.try_emplace(problem);
    if (is_new) {
      try {
        place->second = benanza::work(parse(problem), Precision::fp32).flops;
      } catch (const std::exception&) {
        // Stays unknown.
      }
    }
    return place->second;
  }

  Threads api_calls() const {
    Threads of_thread;
    for (std::size_t at = 0; at < recording_.api.size(); ++at) {
      const auto& call = recording_.api[at];
      of_thread[{call.process, call.thread}].push_back({call.start, call.end, at});
    }
    return of_thread;
  }

  void api() {
    Rows rows;
    for (const auto& [thread, spans] : api_calls()) {
      add_times(Enclosing(spans), recording_.api, rows);
    }
    result_.api = rows.sorted();
  }

  /// Adds the spans of one thread, whose indices are those of `list`, to the rows of their names.
  template <class List>
  void add_times(const Enclosing& enclosing, const List& list, Rows& rows) const {
    const auto name = [&](std::size_t index) { return list[index].name; };
    const std::vector<std::int64_t> own = enclosing.own_times();
    const std::vector<std::int64_t> inclusive = inclusive_times(enclosing, name);
    for (std::size_t at = 0; at < own.size(); ++at) {
      DeviceRow& row = rows[recording_.names[name(enclosing.spans()[at].index)]];
      ++row.calls;
      row.exclusive_seconds += seconds(own[at]);
      row.inclusive_seconds += seconds(inclusive[at]);
    }
  }

  void ranges() {
    Threads of_thread;
    for (std::size_t at = 0; at < recording_.ranges.size(); ++at) {
      const auto& range = recording_.ranges[at];
      if (range.end)
        of_thread[{range.process, range.thread}].push_back({range.start, *range.end, at});
    }
    Rows rows;
    std::map<std::pair<std::int64_t, std::int64_t>, Enclosing> enclosing;
    for (auto& [thread, spans] : of_thread) {
      const auto made = enclosing.try_emplace(thread, std::move(spans)).first;
      add_times(made->second, recording_.ranges, rows);
    }
    // Work launched inside at any depth counts once per name.
    for (const GpuWork& work : recording_.work) {
      const auto* call = launches_.of(work);
      if (call == nullptr) continue;
      const auto spans = enclosing.find({call->process, call->thread});
      if (spans == enclosing.end()) continue;
      std::vector<std::uint32_t> names;
      spans->second.for_each(call->start, [&](std::size_t at) {
        const std::uint32_t name = recording_.ranges[at].name;
        if (std::ranges::find(names, name) != names.end()) return;
        names.push_back(name);
        rows[recording_.names[name]].device_seconds += seconds(work.nanoseconds());
      });
    }
    result_.ranges = rows.sorted();
  }

  void threads() {
    Rows rows;
    const auto row = [&](const DeviceRecording::Api& call) -> DeviceRow& {
      return rows["process " + std::to_string(call.process) + " thread " +
                  std::to_string(call.thread)];
    };
    for (const auto& [thread, spans] : api_calls()) {
      const Enclosing enclosing(spans);
      const std::vector<std::int64_t> own = enclosing.own_times();
      for (std::size_t at = 0; at < own.size(); ++at) {
        DeviceRow& one = row(recording_.api[enclosing.spans()[at].index]);
        ++one.calls;
        one.exclusive_seconds += seconds(own[at]);
        one.inclusive_seconds += seconds(own[at]);
      }
    }
    for (const GpuWork& work : recording_.work) {
      const auto* call = launches_.of(work);
      if (call != nullptr) row(*call).device_seconds += seconds(work.nanoseconds());
    }
    result_.threads = rows.sorted();
  }

  const DeviceRecording& recording_;
  const std::vector<GpuCall>& calls_;
  const Launches launches_;
  DeviceProfile result_;
  std::unordered_map<std::uint32_t, std::optional<bool>> tensor_cores_;
  std::unordered_map<std::uint32_t, bool> library_kernels_;
  std::unordered_map<std::uint32_t, std::optional<Precision>> products_;
  std::unordered_map<std::string, std::optional<double>> flops_;
};

}  // namespace

std::string call_name(const CallText& text) {
  std::string name = text.kind;
  for (const std::string& words : {text.problem, text.auxiliary}) {
    if (!words.empty()) name += ' ' + words;
  }
  if (!text.memory.empty()) name += ' ' + text.memory;
  if (!text.implementation.empty()) name += ", " + text.implementation;
  return name;
}

DeviceProfile device_profile(const DeviceRecording& recording, const std::vector<GpuCall>& calls) {
  return Profiler(recording, calls).profile();
}

}  // namespace benanza
