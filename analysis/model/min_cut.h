#pragma once

#include <cstdint>
#include <vector>

namespace benanza::analysis {

/// The cheapest way to put things on one of two sides, where some cost more on one side than on the
/// other, and some pairs cost something if they are on different sides. Costs are whole numbers.
class MinCut {
 public:
  /// Forbids; every sum of the other costs must stay below it.
  static constexpr std::int64_t forbidden = std::int64_t{1} << 50;

  /// A new thing, and what it costs on either side. Returns its index: 0, 1, ...
  std::size_t add(std::int64_t cost_left, std::int64_t cost_right);
  /// The cost of `a` being left and `b` right.
  void add_edge(std::size_t a, std::size_t b, std::int64_t cost);

  /// True for those on the right of a cheapest arrangement. By the minimum cut of the graph that
  /// the costs span, which is its maximum flow (Ford and Fulkerson 1956), with Dinic's algorithm.
  std::vector<bool> solve() const;

 private:
  struct Pair {
    std::size_t a;
    std::size_t b;
    std::int64_t cost;
  };
  struct Costs {
    std::int64_t left;
    std::int64_t right;
  };
  std::vector<Costs> things_;
  std::vector<Pair> pairs_;
};

}  // namespace benanza::analysis
