#include "analysis/profiles/kineto/placed.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

void describe(ProfiledNode& node, std::vector<Part> parts) {
  node.parts = std::move(parts);
  for (const Part& part : node.parts) {
    if (node.op.empty() && !part.optional) node.op = part.op;
  }
}

bool has_problem(const std::vector<Part>& parts) {
  return std::ranges::any_of(parts, [](const Part& part) { return !part.problem.empty(); });
}

/// Uses the callee's parts if only these have complete attributes ("same" padding, say).
std::vector<Part> best_parts(const Trace& trace, Index op, Index callee) {
  std::vector<Part> parts = parts_of(trace.ops[op]);
  if (parts.empty()) return parts_of_compiled(trace.ops[op].name);
  if (callee == no_index) return parts;
  std::vector<Part> inner = parts_of(trace.ops[callee]);
  if (!has_problem(inner) || inner.size() != parts.size()) return parts;
  inner.front().bias = inner.front().bias || parts.front().bias;
  return inner;
}

/// Numbers the kinds of nodes.
class Descriptions {
 public:
  Descriptions(const Trace& trace, std::vector<Described>& made)
      : trace_(trace), made_(made), asks_callee_(trace.ops.size()), known_(trace.ops.size()) {
    for (std::size_t op = 0; op < trace.ops.size(); ++op) known_[op] = is_known(trace.ops[op].name);
  }

  bool is_known_call(Index call) const { return known_[trace_.calls[call].op]; }

  Index of_call(Index outer) {
    const Index call = converted(outer);
    const Index op = trace_.calls[call].op;
    const Index callee = asks_callee(op) ? first_callee(call) : no_index;
    const auto [found, added] = of_calls_.try_emplace(std::pair(op, callee), 0);
    if (added) found->second = add({.op = op, .callee = callee});
    return found->second;
  }

  Index of_name(Index name) {
    const auto [found, added] = of_names_.try_emplace(name, 0);
    if (added) found->second = add({.name = name});
    return found->second;
  }

  Index kind(Index description) const { return kinds_[description]; }

 private:
  /// Its parts may be those of its callee. Parts are not kept: a trace may have a million
  /// operators.
  bool asks_callee(Index op) {
    if (!asks_callee_[op]) {
      const std::vector<Part> parts = parts_of(trace_.ops[op]);
      asks_callee_[op] = !parts.empty() && !has_problem(parts);
    }
    return *asks_callee_[op];
  }

  /// The operator itself within `call`: autocast converts tensors and calls it again.
  Index converted(Index call) const {
    const double end = trace_.calls[call].end;
    const Index op = trace_.calls[call].op;
    for (Index at = call + 1; at < trace_.calls.size() && trace_.calls[at].start < end; ++at) {
      const OpCall& inner = trace_.calls[at];
      if (inner.parent == call && inner.op != op &&
          trace_.ops[inner.op].name == trace_.ops[op].name) {
        return at;
      }
    }
    return call;
  }

  /// The operator of the first call within `call`.
  Index first_callee(Index call) const {
    const double end = trace_.calls[call].end;
    for (Index at = call + 1; at < trace_.calls.size() && trace_.calls[at].start < end; ++at) {
      if (trace_.calls[at].parent == call) return trace_.calls[at].op;
    }
    return no_index;
  }

  Index add(const Described& what) {
    const ProfiledNode node = described(trace_, what);
    std::string identity = node.name;
    for (const Part& part : node.parts) {
      identity += '\n' + part.op + ' ' + part.problem;
      if (part.precision) identity += ' ' + std::string(to_string(*part.precision));
      for (const auto extent : part.output) identity += ' ' + std::to_string(extent);
    }
    kinds_.push_back(
        identities_.try_emplace(std::move(identity), static_cast<Index>(identities_.size()))
            .first->second);
    made_.push_back(what);
    return static_cast<Index>(made_.size() - 1);
  }

  const Trace& trace_;
  std::vector<Described>& made_;
  std::vector<std::optional<bool>> asks_callee_;
  std::vector<bool> known_;
  std::map<std::pair<Index, Index>, Index> of_calls_;
  std::unordered_map<Index, Index> of_names_;
  std::unordered_map<std::string, Index> identities_;
  std::vector<Index> kinds_;
};

class Placing {
 public:
  explicit Placing(const Trace& trace)
      : trace_(trace),
        descriptions_(trace, placed_.descriptions),
        node_of_call_(trace.calls.size(), no_index) {}

  PlacedNodes place() {
    std::vector<Index> node_of_work;
    node_of_work.reserve(trace_.work.size());
    for (const Work& work : trace_.work) node_of_work.push_back(node_of(work));
    for (Index call = 0; call < trace_.calls.size(); ++call) {
      if (!trace_.calls[call].lacks_kernels) continue;
      const Index node = node_of_call_[owner(call)];
      if (node != no_index) placed_.nodes[node].lacks_kernels = true;
    }
    std::vector<Index>().swap(node_of_call_);
    group(node_of_work);
    // Most are in order; sorting takes memory.
    if (!std::ranges::is_sorted(placed_.nodes, {}, &Placed::start)) {
      std::ranges::stable_sort(placed_.nodes, {}, &Placed::start);
    }
    return std::move(placed_);
  }

 private:
  /// The outermost known operator around `call`; `call` itself if there is none.
  Index owner(Index call) const {
    Index owner = call;
    for (Index at = call; at != no_index; at = trace_.calls[at].parent) {
      if (descriptions_.is_known_call(at)) owner = at;
    }
    return owner;
  }

  Index add(double start, Index description, std::uint16_t process) {
    placed_.nodes.push_back({.start = start,
                             .description = description,
                             .kind = descriptions_.kind(description),
                             .process = process});
    return static_cast<Index>(placed_.nodes.size() - 1);
  }

  Index node_of(const Work& work) {
    const double start = work.has_launch() ? work.launched : work.start;
    if (work.call == no_index) {  // a CUDA graph, or a library outside of PyTorch
      const bool is_graph =
          work.launcher != no_index && launches_graph(trace_.names[work.launcher]);
      const Index description = descriptions_.of_name(is_graph ? work.launcher : work.name);
      if (!placed_.nodes.empty()) {
        const Placed& last = placed_.nodes.back();
        const auto name = [&](Index at) -> const std::string& {
          const Described& what = placed_.descriptions[at];
          return what.op == no_index ? trace_.names[what.name] : trace_.ops[what.op].name;
        };
        if (last.start == start && name(last.description) == name(description)) {
          return static_cast<Index>(placed_.nodes.size() - 1);
        }
      }
      return add(start, description, work.process);
    }
    const Index call = owner(work.call);
    // A compiled region may be a single operator in the trace; then each of its kernels is a node.
    const std::string& outer = trace_.op_of(call).name;
    if (trace_.names[work.name].starts_with("triton_") && !descriptions_.is_known_call(call) &&
        !outer.starts_with("triton_")) {
      return add(start, descriptions_.of_name(work.name), work.process);
    }
    Index& node = node_of_call_[call];
    if (node == no_index) {
      node = add(trace_.calls[call].start, descriptions_.of_call(call), work.process);
    }
    return node;
  }

  void group(const std::vector<Index>& node_of_work) {
    for (const Index node : node_of_work) ++placed_.nodes[node].works;
    Index next = 0;
    for (Placed& node : placed_.nodes) {
      node.first_work = next;
      next += node.works;
      node.works = 0;
    }
    placed_.work.resize(node_of_work.size());
    for (Index work = 0; work < node_of_work.size(); ++work) {
      Placed& node = placed_.nodes[node_of_work[work]];
      placed_.work[node.first_work + node.works++] = work;
    }
  }

  const Trace& trace_;
  PlacedNodes placed_;
  Descriptions descriptions_;
  std::vector<Index> node_of_call_;
};

}  // namespace

ProfiledNode described(const Trace& trace, const Described& what) {
  const bool is_op = what.op != no_index;
  const std::string& name = is_op ? trace.ops[what.op].name : trace.names[what.name];
  ProfiledNode node{.name = name, .origin = "", .op = ""};
  describe(node, is_op ? best_parts(trace, what.op, what.callee)
                       : parts_of_compiled(trace.names[what.name]));
  return node;
}

PlacedNodes place_nodes(const Trace& trace) { return Placing(trace).place(); }

}  // namespace benanza::analysis::kineto
