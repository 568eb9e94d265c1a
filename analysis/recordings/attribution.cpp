#include "analysis/recordings/attribution.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/profiles/kernel_name.h"

namespace benanza::analysis {
namespace {

using Work = DeviceRecording::Work;

/// A library launches its kernels at once.
constexpr std::int64_t longest_call = 2'000'000;

void own_by_time(const DeviceRecording& recording, const Launches& launches,
                 const std::vector<GpuCall>& calls,
                 std::vector<std::optional<std::size_t>>& owners) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> of_thread;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    if (calls[at].start && calls[at].thread) {
      of_thread[{calls[at].process, *calls[at].thread}].push_back(at);
    }
  }
  for (auto& [thread, list] : of_thread) {
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return *calls[a].start < *calls[b].start;
    });
  }
  // In the order of the launches: of the device's order a stream may have another.
  struct Launch {
    std::int64_t time;
    std::size_t work;
    std::pair<std::int64_t, std::int64_t> thread;
  };
  std::vector<Launch> order;
  for (std::size_t at = 0; at < recording.work.size(); ++at) {
    const auto* call = launches.of(recording.work[at]);
    if (call != nullptr) order.push_back({call->start, at, {call->process, call->thread}});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Launch& a, const Launch& b) { return a.time < b.time; });
  std::vector<bool> is_over(calls.size());
  for (const Launch& launch : order) {
    const auto list = of_thread.find(launch.thread);
    if (list == of_thread.end()) continue;
    const auto next = std::upper_bound(
        list->second.begin(), list->second.end(), launch.time,
        [&](std::int64_t time, std::size_t call) { return time < *calls[call].start; });
    if (next == list->second.begin()) continue;
    const std::size_t call = *std::prev(next);
    if (launch.time - *calls[call].start > longest_call || is_over[call]) continue;
    if (is_framework_kernel(recording.names[recording.work[launch.work].name])) {
      is_over[call] = true;
      continue;
    }
    owners[launch.work] = call;
  }
}

void own_by_order(const DeviceRecording& recording, const std::vector<GpuCall>& calls,
                  std::vector<std::optional<std::size_t>>& owners) {
  std::map<std::int64_t, std::vector<std::size_t>> untimed;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    if (!calls[at].start) untimed[calls[at].process].push_back(at);
  }
  for (const auto& [process, list] : untimed) {
    std::vector<std::size_t> products;
    for (std::size_t at = 0; at < recording.work.size(); ++at) {
      const Work& work = recording.work[at];
      if (work.process == process && work.kind == Work::Kind::kernel && !owners[at] &&
          kernel_traits(recording.names[work.name]).algorithm == "gemm") {
        products.push_back(at);
      }
    }
    if (products.size() != list.size()) continue;
    for (std::size_t at = 0; at < list.size(); ++at) owners[products[at]] = list[at];
  }
}

}  // namespace

Launches::Launches(const DeviceRecording& recording) : recording_(recording) {
  for (std::size_t at = 0; at < recording.api.size(); ++at) {
    const auto& call = recording.api[at];
    // Numbers are in the order of begin.
    places_[call.process].try_emplace(call.correlation, at);
  }
}

const DeviceRecording::Api* Launches::of(const Work& work) const {
  const auto process = places_.find(work.process);
  if (process == places_.end()) return nullptr;
  const auto call = process->second.find(work.correlation);
  return call == process->second.end() ? nullptr : &recording_.api[call->second];
}

std::vector<GpuCall> gpu_calls(const RecordingReader& reader) {
  std::vector<GpuCall> calls;
  reader.for_each([&](const ArrivedCall& call) {
    if (call.text.engine != "gpu" || call.text.source == "onednn") return;
    GpuCall one{.text = call.text, .process = call.process.value_or(0), .thread = call.thread};
    if (call.started) one.start = static_cast<std::int64_t>(*call.started * 1e9);
    calls.push_back(std::move(one));
  });
  return calls;
}

bool is_framework_kernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  constexpr std::array<std::string_view, 9> theirs{
      "at::",  "c10::", "at_cuda_detail::", "triton_", "onnxruntime::", "tensorflow::", "fusion",
      "loop_", "input_"};
  return std::any_of(theirs.begin(), theirs.end(),
                     [&](std::string_view word) { return name.starts_with(word); }) ||
         name.find("at::native::") != std::string_view::npos;
}

std::vector<std::optional<std::size_t>> owners(const DeviceRecording& recording,
                                               const Launches& launches,
                                               const std::vector<GpuCall>& calls) {
  std::vector<std::optional<std::size_t>> result(recording.work.size());
  own_by_time(recording, launches, calls, result);
  own_by_order(recording, calls, result);
  return result;
}

}  // namespace benanza::analysis
