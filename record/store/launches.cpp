#include "record/store/launches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
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

constexpr std::size_t most_cells = std::size_t{1} << 28;
constexpr int most_turns = 8;
constexpr float impossible = -std::numeric_limits<float>::infinity();

/// A score for each pair of kernel and call.
class Scores {
 public:
  Scores(std::size_t kernels, std::size_t calls) : calls_(calls), values_(kernels * calls) {}
  float& at(std::uint32_t kernel, std::uint32_t call) { return values_[kernel * calls_ + call]; }
  float at(std::uint32_t kernel, std::uint32_t call) const {
    return values_[kernel * calls_ + call];
  }

 private:
  std::size_t calls_;
  std::vector<float> values_;
};

std::size_t extent(const std::vector<std::uint32_t>& list) {
  return list.empty() ? 0 : std::size_t{*std::ranges::max_element(list)} + 1;
}

class Merge {
 public:
  Merge(const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
        const std::vector<std::uint32_t>& second)
      : kernels_(kernels),
        first_(first),
        second_(second),
        from_second_((first.size() + 1) * (second.size() + 1)) {}

  /// Empty if every merge has an impossible pair.
  std::optional<std::vector<bool>> best(const Scores& scores) {
    const std::size_t columns = second_.size() + 1;
    std::vector<float> row(columns, impossible);
    for (std::size_t i = 0; i <= first_.size(); ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (i + j == 0) {
          row[0] = 0;
          continue;
        }
        const std::uint32_t kernel = kernels_[i + j - 1];
        // row[j] is still that of the previous i, with one call of the first list less.
        const float down = i == 0 ? impossible : row[j] + scores.at(kernel, first_[i - 1]);
        const float right = j == 0 ? impossible : row[j - 1] + scores.at(kernel, second_[j - 1]);
        // Prefer the second list in a tie: the path is traced backwards, so the first list's call
        // comes first.
        from_second_[i * columns + j] = right >= down;
        row[j] = std::max(down, right);
      }
    }
    if (row.back() == impossible) return std::nullopt;
    std::vector<bool> result(kernels_.size());
    for (std::size_t i = first_.size(), j = second_.size(); i + j > 0;) {
      const bool is_second = i == 0 || (j > 0 && from_second_[i * columns + j]);
      result[i + j - 1] = is_second;
      is_second ? --j : --i;
    }
    return result;
  }

 private:
  const std::vector<std::uint32_t>& kernels_;
  const std::vector<std::uint32_t>& first_;
  const std::vector<std::uint32_t>& second_;
  std::vector<bool> from_second_;
};

bool same_problem(const CallText& a, const CallText& b) {
  return std::tie(a.source, a.kind, a.problem, a.memory) ==
         std::tie(b.source, b.kind, b.problem, b.memory);
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

std::optional<std::vector<bool>> merged(
    const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
    const std::vector<std::uint32_t>& second,
    const std::function<bool(std::uint32_t kernel, std::uint32_t call)>& may_be) {
  if (first.size() + second.size() != kernels.size()) return std::nullopt;
  if ((first.size() + 1) > most_cells / (second.size() + 1)) return std::nullopt;
  const std::size_t kernel_count = extent(kernels);
  const std::size_t call_count = std::max(extent(first), extent(second));
  Scores scores(kernel_count, call_count);
  std::vector<float> kernel_totals(kernel_count);
  std::vector<float> call_totals(call_count);
  for (const std::uint32_t kernel : kernels) ++kernel_totals[kernel];
  for (const std::uint32_t call : first) ++call_totals[call];
  for (const std::uint32_t call : second) ++call_totals[call];
  // Initially, a kernel and a call that occur equally often are assumed to be a pair.
  for (std::uint32_t kernel = 0; kernel < kernel_count; ++kernel) {
    for (std::uint32_t call = 0; call < call_count; ++call) {
      const float ratio = kernel_totals[kernel] / std::max(call_totals[call], 1.0F);
      scores.at(kernel, call) =
          may_be(kernel, call) ? -std::abs(std::log(std::max(ratio, 1e-6F))) : impossible;
    }
  }
  Merge merge(kernels, first, second);
  std::optional<std::vector<bool>> result;
  for (int turn = 0; turn < most_turns; ++turn) {
    auto next = merge.best(scores);
    if (!next || next == result) return next;
    result = std::move(next);
    Scores pairs(kernel_count, call_count);
    for (std::size_t at = 0, i = 0, j = 0; at < kernels.size(); ++at) {
      ++pairs.at(kernels[at], (*result)[at] ? second[j++] : first[i++]);
    }
    for (std::uint32_t kernel = 0; kernel < kernel_count; ++kernel) {
      for (std::uint32_t call = 0; call < call_count; ++call) {
        float& score = scores.at(kernel, call);
        if (score == impossible) continue;
        constexpr float doubt = 0.1F;
        score = std::log((pairs.at(kernel, call) + doubt) / (call_totals[call] + 1));
      }
    }
  }
  return result;
}

std::vector<bool> search_calls(const std::vector<const CallText*>& calls) {
  constexpr std::size_t least_implementations = 3;
  std::vector<bool> found(calls.size());
  for (std::size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
    std::set<std::string_view> implementations;
    for (end = begin; end < calls.size() && same_problem(*calls[begin], *calls[end]); ++end) {
      if (!calls[end]->implementation.empty()) implementations.insert(calls[end]->implementation);
    }
    if (calls[begin]->engine != "gpu" || calls[begin]->problem.empty()) continue;
    if (implementations.size() < least_implementations) continue;
    std::fill(found.begin() + static_cast<std::ptrdiff_t>(begin),
              found.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return found;
}

}  // namespace benanza
