#include "analysis/model/min_cut.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace benanza::analysis {
namespace {

/// Maximum flow by Dinic's algorithm.
class Network {
 public:
  explicit Network(std::size_t nodes) : edges_of_(nodes) {}

  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    if (capacity <= 0) return;
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }

  /// Pushes the maximum flow. Returns the nodes that `source` can still reach.
  std::vector<bool> reached(std::size_t source, std::size_t sink) {
    while (rank(source)[sink] >= 0) {
      next_.assign(edges_of_.size(), 0);
      while (push(source, sink, std::numeric_limits<std::int64_t>::max()) > 0) {
      }
    }
    std::vector<bool> reached(edges_of_.size());
    for (std::size_t node = 0; node < reached.size(); ++node) reached[node] = rank_[node] >= 0;
    return reached;
  }

 private:
  struct Edge {
    std::size_t to;
    std::int64_t capacity;
  };

  /// Computes the distance from `source` over edges with residual capacity; -1 if unreachable.
  const std::vector<int>& rank(std::size_t source) {
    rank_.assign(edges_of_.size(), -1);
    rank_[source] = 0;
    std::queue<std::size_t> queue({source});
    while (!queue.empty()) {
      const std::size_t node = queue.front();
      queue.pop();
      for (const std::size_t index : edges_of_[node]) {
        const Edge& edge = edges_[index];
        if (edge.capacity == 0 || rank_[edge.to] >= 0) continue;
        rank_[edge.to] = rank_[node] + 1;
        queue.push(edge.to);
      }
    }
    return rank_;
  }

  std::int64_t push(std::size_t node, std::size_t sink, std::int64_t most) {
    if (node == sink) return most;
    for (; next_[node] < edges_of_[node].size(); ++next_[node]) {
      const std::size_t index = edges_of_[node][next_[node]];
      const Edge edge = edges_[index];
      if (edge.capacity == 0 || rank_[edge.to] != rank_[node] + 1) continue;
      const std::int64_t pushed = push(edge.to, sink, std::min(most, edge.capacity));
      if (pushed == 0) continue;
      edges_[index].capacity -= pushed;
      edges_[index ^ 1U].capacity += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<int> rank_;
  std::vector<std::size_t> next_;
};

}  // namespace

std::size_t MinCut::add(std::int64_t cost_left, std::int64_t cost_right) {
  things_.push_back({cost_left, cost_right});
  return things_.size() - 1;
}

void MinCut::add_edge(std::size_t a, std::size_t b, std::int64_t cost) {
  pairs_.push_back({a, b, cost});
}

std::vector<bool> MinCut::solve() const {
  // The things that the source reaches are left: being right cuts the edge from the source, being
  // left the edge to the sink.
  const std::size_t source = things_.size();
  const std::size_t sink = source + 1;
  Network network(sink + 1);
  for (std::size_t thing = 0; thing < things_.size(); ++thing) {
    network.add(source, thing, things_[thing].right);
    network.add(thing, sink, things_[thing].left);
  }
  for (const Pair& pair : pairs_) network.add(pair.a, pair.b, pair.cost);
  std::vector<bool> right = network.reached(source, sink);
  right.resize(things_.size());
  right.flip();
  return right;
}

}  // namespace benanza::analysis
