#include "analysis/profiles/kineto/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/profiles/kineto/placed.h"
#include "analysis/profiles/profile.h"
#include "core/statistics/summary.h"

namespace benanza::analysis::kineto {
namespace {

constexpr double microsecond = 1e-6;

using Nodes = std::span<const Placed>;

bool are_same(Nodes a, Nodes b) {
  return std::ranges::equal(a, b, {}, &Placed::kind, &Placed::kind);
}

std::vector<Nodes> steps_of(Nodes nodes, const std::vector<Stretch>& steps, std::uint16_t process) {
  std::vector<Nodes> found;
  const auto at = [&](double time) {
    return std::ranges::lower_bound(nodes, time, {}, &Placed::start);
  };
  std::vector<Stretch> own;
  std::ranges::copy_if(steps, std::back_inserter(own),
                       [&](const Stretch& step) { return step.process == process; });
  for (std::size_t step = 0; step < own.size(); ++step) {
    // One ends where the next begins, even if the trace has its end later.
    const double end =
        step + 1 < own.size() ? std::min(own[step].end, own[step + 1].start) : own[step].end;
    if (at(own[step].start) < at(end)) found.emplace_back(at(own[step].start), at(end));
  }
  return found;
}

/// True if `nodes` repeat their first `length` throughout.
bool repeat(Nodes nodes, std::size_t length) {
  return are_same(nodes.subspan(length), nodes.first(nodes.size() - length));
}

/// True if the host waited for the GPU between every two of the parts of `length` nodes.
bool are_separated(Nodes nodes, std::size_t length, const std::vector<double>& waits) {
  for (std::size_t next = length; next < nodes.size(); next += length) {
    const auto wait = std::ranges::upper_bound(waits, nodes[next - 1].start);
    if (wait == waits.end() || *wait > nodes[next].start) return false;
  }
  return true;
}

/// The most equal parts with a wait between them: equal blocks within a model have none.
std::vector<Nodes> parts_of(Nodes nodes, const std::vector<double>& waits) {
  std::size_t length = 1;
  while (length < nodes.size() && (nodes.size() % length != 0 || !repeat(nodes, length) ||
                                   !are_separated(nodes, length, waits))) {
    ++length;
  }
  std::vector<Nodes> parts;
  for (std::size_t first = 0; first < nodes.size(); first += length) {
    parts.push_back(nodes.subspan(first, length));
  }
  return parts;
}

/// Equal parts of at most `most` nodes, which may repeat a sequence themselves; one part if `nodes`
/// repeat none.
std::vector<Nodes> folded(Nodes nodes, std::size_t most) {
  std::size_t period = 1;
  while (period < nodes.size() && (nodes.size() % period != 0 || !repeat(nodes, period))) ++period;
  const std::size_t repeats = nodes.size() / period;
  std::size_t of_part = std::max<std::size_t>(1, std::min(repeats, most / period));
  while (repeats % of_part != 0) --of_part;
  std::vector<Nodes> parts;
  for (std::size_t first = 0; first < nodes.size(); first += of_part * period) {
    parts.push_back(nodes.subspan(first, of_part * period));
  }
  return parts;
}

/// The runs with the most common sequence.
std::vector<Nodes> most_common(const std::vector<Nodes>& runs) {
  const auto less = [](Nodes a, Nodes b) {
    return std::ranges::lexicographical_compare(a, b, {}, &Placed::kind, &Placed::kind);
  };
  std::map<Nodes, std::vector<Nodes>, decltype(less)> alike(less);
  for (const Nodes& run : runs) alike[run].push_back(run);
  const std::vector<Nodes>* best = nullptr;
  for (const auto& [sequence, group] : alike) {
    const bool is_later = best != nullptr && group.back().data() > best->back().data();
    if (best == nullptr || group.size() > best->size() ||
        (group.size() == best->size() && is_later)) {
      best = &group;
    }
  }
  return *best;
}

class Merger {
 public:
  Merger(const Trace& trace, const PlacedNodes& placed)
      : trace_(trace), placed_(placed), waited_(trace.work.size()) {
    std::vector<double> ends(std::max<std::size_t>(1, trace.processes),
                             std::numeric_limits<double>::lowest());
    earlier_end_.reserve(trace.work.size());
    for (const Work& work : trace.work) {
      double& end = ends[work.process];
      earlier_end_.push_back(end);
      end = std::max(end, work.end);
    }
  }

  /// Medians of all times over `runs`, which have the same sequence.
  void merge(const std::vector<Nodes>& runs, ModelRun& into) {
    std::vector<double> spans, busy, bound;
    for (const Nodes& run : runs) {
      const Timeline timeline = timeline_of(run);
      spans.push_back(timeline.span_seconds);
      busy.push_back(timeline.busy_seconds);
      bound.push_back(timeline.host_bound_seconds);
    }
    into.timeline.span_seconds = std::max(into.timeline.span_seconds, median(spans));
    into.timeline.busy_seconds += median(busy);
    into.timeline.host_bound_seconds += median(bound);
    for (std::size_t at = 0; at < runs.back().size(); ++at) into.nodes.push_back(node(runs, at));
  }

 private:
  double seconds(Index work) const {
    return (trace_.work[work].end - trace_.work[work].start) * microsecond;
  }

  /// A host that is ahead calls a run's first operator while the GPU still does the work of earlier
  /// runs: then the run begins with the end of that. Where the clocks of both differ a little, a
  /// kernel may begin before its operator.
  double begin_of(Nodes run, const std::vector<Index>& order) const {
    const auto first = std::ranges::min_element(order);
    if (first == order.end()) return run.front().start;
    constexpr double one_second = 1e6;
    const double called = run.front().start;
    const double work = std::max(trace_.work[*first].start, called - one_second);
    return std::clamp(earlier_end_[*first], std::min(called, work), work);
  }

  /// Also finds how long the GPU waited for each kernel.
  Timeline timeline_of(Nodes run) {
    std::vector<Index> order;
    for (const Placed& node : run) {
      const auto work = placed_.work_of(node);
      order.insert(order.end(), work.begin(), work.end());
    }
    std::ranges::stable_sort(order, {}, [&](Index work) { return trace_.work[work].start; });
    Timeline timeline;
    const double begin = begin_of(run, order);
    double free_at = begin;  // when the GPU has finished all earlier work
    for (const Index index : order) {
      const Work& work = trace_.work[index];
      const double idle = work.start - free_at;
      if (idle > 0 && work.has_launch()) {
        // The host is late only up to its launch call; the rest is launch latency.
        waited_[index] = std::clamp(work.launched - free_at, 0.0, idle) * microsecond;
      }
      timeline.host_bound_seconds += waited_[index];
      timeline.busy_seconds += std::max(0.0, work.end - std::max(work.start, free_at));
      free_at = std::max(free_at, work.end);
    }
    timeline.busy_seconds *= microsecond;
    timeline.span_seconds = (free_at - begin) * microsecond;
    return timeline;
  }

  /// If the kernels of a node differ between runs, the last run's are used.
  ProfiledNode node(const std::vector<Nodes>& runs, std::size_t at) {
    const Placed& last = runs.back()[at];
    ProfiledNode node = described(trace_, placed_.descriptions[last.description]);
    node.lacks_kernels = last.lacks_kernels;
    const auto kernels = placed_.work_of(last);
    std::vector<double> times;
    std::vector<std::span<const Index>> alike;
    for (const Nodes& run : runs) {
      const auto work = placed_.work_of(run[at]);
      double sum = 0;
      for (const Index one : work) sum += seconds(one);
      times.push_back(sum);
      const auto name = [&](Index one) { return trace_.work[one].name; };
      if (std::ranges::equal(work, kernels, {}, name, name)) alike.push_back(work);
    }
    set_times(node, times);
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
      const auto median_of = [&](const auto& value) {
        times.clear();
        for (const auto& work : alike) times.push_back(value(work[kernel]));
        return median(times);
      };
      node.kernels.push_back(
          {.name = trace_.names[trace_.work[kernels[kernel]].name],
           .seconds = median_of([&](Index work) { return seconds(work); }),
           .waited_seconds = median_of([&](Index work) { return waited_[work]; })});
    }
    return node;
  }

  const Trace& trace_;
  const PlacedNodes& placed_;
  std::vector<double> waited_;
  /// When all earlier work of the same process has ended, for each work.
  std::vector<double> earlier_end_;
};

std::vector<Nodes> runs_of(Nodes nodes, const Trace& trace, std::uint16_t process) {
  std::vector<Nodes> runs = steps_of(nodes, trace.steps, process);
  if (!runs.empty()) return runs;
  std::vector<double> waits;
  for (const Stretch& wait : trace.waits) {
    if (wait.process == process) waits.push_back(wait.start);
  }
  return parts_of(nodes, waits);
}

}  // namespace

ModelRun model_run(const Trace& trace, std::size_t most_nodes) {
  const PlacedNodes placed = place_nodes(trace);
  std::vector<std::vector<Placed>> nodes(trace.processes);
  if (trace.processes > 1) {
    for (const Placed& node : placed.nodes) nodes[node.process].push_back(node);
  }
  ModelRun model;
  std::vector<std::vector<Nodes>> common;
  std::size_t all = 0;
  std::size_t inside = 0;
  for (std::uint16_t process = 0; process < trace.processes; ++process) {
    const Nodes own = trace.processes > 1 ? Nodes(nodes[process]) : Nodes(placed.nodes);
    if (own.empty()) continue;
    std::vector<Nodes> runs = runs_of(own, trace, process);
    all += own.size();
    for (const Nodes& run : runs) inside += run.size();
    model.is_undivided = trace.processes == 1 && runs.size() == 1;
    if (model.is_undivided && own.size() > most_nodes) runs = folded(own, most_nodes);
    model.found += runs.size();
    common.push_back(most_common(runs));
    model.used += common.back().size();
  }
  if (common.empty()) return model;
  if (inside < all) {
    model.remarks.push_back(
        fmt::format("{} of its {} operators ran outside of the profiler's steps and are left out",
                    all - inside, all));
  }
  const bool are_alike = std::ranges::all_of(common, [&](const std::vector<Nodes>& runs) {
    return are_same(runs.front(), common.front().front());
  });
  if (trace.processes > 1) {
    model.remarks.push_back(fmt::format(
        "it holds {} processes (ranks), which are kept apart: {}", trace.processes,
        are_alike ? "all ran the same operators, the times are medians over them"
                  : "they ran different operators, which are told one process after the other"));
  }
  Merger merger(trace, placed);
  if (are_alike) {
    std::vector<Nodes> together;
    for (const auto& runs : common) together.insert(together.end(), runs.begin(), runs.end());
    merger.merge(together, model);
  } else {
    for (const auto& runs : common) merger.merge(runs, model);
  }
  return model;
}

}  // namespace benanza::analysis::kineto
