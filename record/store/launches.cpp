#include "record/store/launches.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace benanza {
namespace {

using Api = DeviceRecording::Api;

/// True if a call of this name becomes a node that does work when captured into a graph.
bool makes_a_node(std::string_view name) {
  name.remove_prefix(name.starts_with("cuda") ? 4 : name.starts_with("cu") ? 2 : 0);
  return name.starts_with("LaunchKernel") || name.starts_with("LaunchCooperativeKernel") ||
         name.starts_with("Memcpy") || name.starts_with("Memset");
}

struct Capture {
  std::int64_t process = 0;
  std::int64_t thread = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::size_t> launches{};
};

std::vector<Capture> captures(const DeviceRecording& recording) {
  std::vector<Capture> list;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> open;
  for (const Api& call : recording.api) {
    const std::string_view name = recording.names[call.name];
    if (name.find("StreamBeginCapture") != name.npos) {
      // A driver call inside a runtime call starts the same capture.
      if (!open.try_emplace({call.process, call.thread}, list.size()).second) continue;
      list.push_back({.process = call.process, .thread = call.thread, .begin = call.start});
    } else if (name.find("StreamEndCapture") != name.npos) {
      const auto begun = open.extract({call.process, call.thread});
      if (begun) list[begun.mapped()].end = call.start;
    }
  }
  std::erase_if(list, [](const Capture& one) { return one.end == 0; });
  return list;
}

}  // namespace

Launches::Launches(const DeviceRecording& recording) : recording_(recording) {
  for (std::size_t at = 0; at < recording.api.size(); ++at) {
    const auto& call = recording.api[at];
    // Calls are sorted by start, so the first one stays.
    places_[call.process].try_emplace(call.correlation, at);
  }
  find_captured();
}

const Api* Launches::of(const DeviceRecording::Work& work) const {
  const auto process = places_.find(work.process);
  if (process == places_.end()) return nullptr;
  const auto call = process->second.find(work.correlation);
  return call == process->second.end() ? nullptr : &recording_.api[call->second];
}

const Api* Launches::captured(const DeviceRecording::Work& work) const {
  if (!work.graph || !work.node) return nullptr;
  const auto call = captured_.find({work.process, *work.graph, *work.node});
  return call == captured_.end() ? nullptr : &recording_.api[call->second];
}

void Launches::find_captured() {
  std::vector<Capture> list = captures(recording_);
  if (list.empty()) return;
  std::set<std::pair<std::int64_t, std::uint32_t>> ran_at_once;
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> graphs;
  for (const auto& work : recording_.work) {
    if (work.graph && work.node) {
      graphs[{work.process, *work.graph}].insert(*work.node);
    } else if (!work.graph) {
      ran_at_once.emplace(work.process, work.correlation);
    }
  }
  // The captures that are open at the time of a call; both lists are sorted by time.
  std::vector<std::size_t> open;
  std::size_t begun = 0;
  for (std::size_t at = 0; at < recording_.api.size(); ++at) {
    const Api& call = recording_.api[at];
    for (; begun < list.size() && list[begun].begin <= call.start; ++begun) open.push_back(begun);
    std::erase_if(open, [&](std::size_t one) { return list[one].end <= call.start; });
    if (open.empty() || !makes_a_node(recording_.names[call.name]) ||
        places_.at(call.process).at(call.correlation) != at ||
        ran_at_once.contains({call.process, call.correlation})) {
      continue;
    }
    // Helper threads of the capturing thread launch, too.
    Capture* of_call = nullptr;
    for (const std::size_t one : open) {
      if (list[one].process != call.process) continue;
      if (of_call == nullptr || list[one].thread == call.thread) of_call = &list[one];
    }
    if (of_call != nullptr) of_call->launches.push_back(at);
  }
  std::map<std::int64_t, std::size_t> next;
  for (const auto& [graph, nodes] : graphs) {
    std::size_t& from = next[graph.first];
    const auto found =
        std::find_if(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
                     [&, process = graph.first, count = nodes.size()](const Capture& capture) {
                       return capture.process == process && capture.launches.size() == count;
                     });
    if (found == list.end()) continue;
    from = static_cast<std::size_t>(found - list.begin()) + 1;
    auto launch = found->launches.begin();
    for (const std::int64_t node : nodes) {
      captured_.emplace(std::tuple(graph.first, graph.second, node), *launch++);
    }
  }
}

}  // namespace benanza
