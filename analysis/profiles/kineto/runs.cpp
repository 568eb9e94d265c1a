#include "analysis/profiles/kineto/runs.h"

#include <algorithm>
#include <map>

#include "analysis/profiles/kineto/aten.h"
#include "analysis/profiles/repeats.h"
#include "core/statistics/summary.h"

namespace benanza::analysis::kineto {
namespace {

constexpr double microsecond = 1e-6;

/// A node with its start, in microseconds, and its work.
struct Placed {
  ProfiledNode node;
  double start = 0;
  std::vector<const Work*> work;
};

/// Returns the outermost known operator around `op`; `op` itself if there is none.
std::size_t owner(const Trace& trace, std::size_t op) {
  std::size_t owner = op;
  for (std::optional<std::size_t> at = op; at; at = trace.ops[*at].parent) {
    if (is_known(trace.ops[*at].name)) owner = *at;
  }
  return owner;
}

/// Uses the callee's parts if only these have complete attributes ("same" padding, say).
std::vector<Part> best_parts(const Trace& trace, std::size_t op) {
  std::vector<Part> parts = parts_of(trace.ops[op]);
  if (parts.empty()) return parts_of_compiled(trace.ops[op].name);
  const auto has_problem = [](const std::vector<Part>& some) {
    return std::ranges::any_of(some, [](const Part& part) { return !part.problem.empty(); });
  };
  if (has_problem(parts)) return parts;
  for (std::size_t called = op + 1;
       called < trace.ops.size() && trace.ops[called].start < trace.ops[op].end; ++called) {
    if (trace.ops[called].parent != op) continue;
    std::vector<Part> inner = parts_of(trace.ops[called]);
    if (has_problem(inner) && inner.size() == parts.size()) {
      inner.front().bias = inner.front().bias || parts.front().bias;
      return inner;
    }
    break;
  }
  return parts;
}

void describe(ProfiledNode& node, std::vector<Part> parts) {
  node.parts = std::move(parts);
  for (const Part& part : node.parts) {
    if (node.op.empty() && !part.optional) node.op = part.op;
  }
}

std::vector<Placed> placed_nodes(const Trace& trace) {
  std::map<std::size_t, std::size_t> node_of_op;
  std::vector<Placed> nodes;
  for (const Work& work : trace.work) {
    if (!work.op) {  // a CUDA graph, or a library outside of PyTorch
      const bool graph = work.launcher.find("Graph") != std::string::npos;
      const std::string& name = graph ? work.launcher : work.name;
      const double start = work.launched.value_or(work.start);
      if (nodes.empty() || nodes.back().node.name != name || nodes.back().start != start) {
        ProfiledNode node{.name = name, .origin = "", .op = ""};
        describe(node, parts_of_compiled(name));
        nodes.push_back({.node = std::move(node), .start = start, .work = {}});
      }
      nodes.back().work.push_back(&work);
      continue;
    }
    const std::size_t op = owner(trace, *work.op);
    // A compiled region may be a single operator in the trace; then each of its kernels is a node.
    const std::string& outer = trace.ops[op].name;
    if (work.name.starts_with("triton_") && !is_known(outer) && !outer.starts_with("triton_")) {
      ProfiledNode node{.name = work.name, .origin = "", .op = ""};
      describe(node, parts_of_compiled(work.name));
      nodes.push_back(
          {.node = std::move(node), .start = work.launched.value_or(work.start), .work = {&work}});
      continue;
    }
    const auto [found, added] = node_of_op.try_emplace(op, nodes.size());
    if (added) {
      ProfiledNode node{.name = trace.ops[op].name, .origin = "", .op = ""};
      describe(node, best_parts(trace, op));
      nodes.push_back({.node = std::move(node), .start = trace.ops[op].start, .work = {}});
    }
    nodes[found->second].work.push_back(&work);
  }
  for (std::size_t index = 0; index < trace.ops.size(); ++index) {
    if (!trace.ops[index].lacks_kernels) continue;
    const auto found = node_of_op.find(owner(trace, index));
    if (found != node_of_op.end()) nodes[found->second].node.lacks_kernels = true;
  }
  std::ranges::stable_sort(nodes,
                           [](const Placed& a, const Placed& b) { return a.start < b.start; });
  return nodes;
}

/// Builds the kernels and the timeline of [first, last).
Run run_of(std::vector<Placed>::iterator first, std::vector<Placed>::iterator last) {
  struct ChangeKind {
    const Work* work;
    ProfiledKernel* kernel;
  };
  std::vector<ChangeKind> change_kinds;
  for (auto placed = first; placed != last; ++placed) {
    placed->node.kernels.resize(placed->work.size());
    for (std::size_t i = 0; i < placed->work.size(); ++i) {
      change_kinds.push_back({placed->work[i], &placed->node.kernels[i]});
    }
  }
  std::stable_sort(
      change_kinds.begin(), change_kinds.end(),
      [](const ChangeKind& a, const ChangeKind& b) { return a.work->start < b.work->start; });
  Run run;
  const double begin = first->start;
  double free_at = begin;  // when the GPU has finished all earlier work
  for (const auto& [work, kernel] : change_kinds) {
    kernel->name = work->name;
    kernel->seconds = (work->end - work->start) * microsecond;
    const double idle = work->start - free_at;
    if (idle > 0 && work->launched) {
      // The host is late only up to its launch call; the rest is launch latency.
      kernel->waited_seconds = std::clamp(*work->launched - free_at, 0.0, idle) * microsecond;
    }
    run.timeline.host_bound_seconds += kernel->waited_seconds;
    run.timeline.busy_seconds += std::max(0.0, work->end - std::max(work->start, free_at));
    free_at = std::max(free_at, work->end);
  }
  run.timeline.busy_seconds *= microsecond;
  run.timeline.span_seconds = (free_at - begin) * microsecond;
  for (auto placed = first; placed != last; ++placed) {
    for (const ProfiledKernel& kernel : placed->node.kernels) {
      placed->node.seconds += kernel.seconds;
    }
    run.nodes.push_back(std::move(placed->node));
  }
  return run;
}

using Places = std::vector<Placed>::iterator;

std::vector<std::pair<Places, Places>> steps(std::vector<Placed>& nodes, const Trace& trace) {
  std::vector<std::pair<Places, Places>> found;
  const auto at = [&](double time) {
    return std::lower_bound(nodes.begin(), nodes.end(), time,
                            [](const Placed& node, double when) { return node.start < when; });
  };
  for (const auto& [begin, end] : trace.steps) {
    if (at(begin) != at(end)) found.emplace_back(at(begin), at(end));
  }
  return found;
}

/// Returns true if the host waited for the GPU between every two of `count` equal parts of `nodes`.
bool are_separated(const std::vector<Placed>& nodes, std::size_t count, const Trace& trace) {
  const std::size_t length = nodes.size() / count;
  for (std::size_t next = length; next < nodes.size(); next += length) {
    const auto wait =
        std::upper_bound(trace.waits.begin(), trace.waits.end(), nodes[next - 1].start);
    if (wait == trace.waits.end() || *wait > nodes[next].start) return false;
  }
  return true;
}

}  // namespace

std::vector<Run> runs_of(const Trace& trace) {
  std::vector<Placed> nodes = placed_nodes(trace);
  std::vector<std::pair<Places, Places>> parts = steps(nodes, trace);
  if (parts.empty()) {
    std::vector<ProfiledNode> sequence;
    for (const Placed& placed : nodes) sequence.push_back(placed.node);
    std::size_t count = repeats(sequence);
    // Choose the most parts with a wait between them: equal blocks within a model have none.
    while (count > 1 && (nodes.size() % count != 0 || !are_equal(sequence, count) ||
                         !are_separated(nodes, count, trace))) {
      --count;
    }
    const auto length = static_cast<std::ptrdiff_t>(nodes.size() / count);
    for (auto at = nodes.begin(); at != nodes.end(); at += length) {
      parts.emplace_back(at, at + length);
    }
  }
  std::vector<Run> runs;
  for (const auto& [first, last] : parts) runs.push_back(run_of(first, last));
  return runs;
}

Run merged(const std::vector<Run>& runs, std::size_t& used) {
  std::vector<std::size_t> alike(runs.size());
  std::size_t best = 0;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Run& other : runs) {
      if (is_same_sequence(runs[run].nodes, other.nodes)) ++alike[run];
    }
    if (alike[run] >= alike[best]) best = run;
  }
  std::vector<std::vector<ProfiledNode>> sequences;
  std::vector<double> spans, busy, bound;
  for (const Run& run : runs) {
    if (!is_same_sequence(run.nodes, runs[best].nodes)) continue;
    sequences.push_back(run.nodes);
    spans.push_back(run.timeline.span_seconds);
    busy.push_back(run.timeline.busy_seconds);
    bound.push_back(run.timeline.host_bound_seconds);
  }
  used = sequences.size();
  return {.nodes = medians(sequences),
          .timeline = {.span_seconds = median(spans),
                       .busy_seconds = median(busy),
                       .host_bound_seconds = median(bound)}};
}

}  // namespace benanza::analysis::kineto
