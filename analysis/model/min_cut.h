#pragma once

#include <cstdint>
#include <vector>

namespace benanza::analysis {

/// Assigns things to one of two sides at the least cost: each thing has a cost for either side, and
/// some pairs have a cost if they are on different sides. Costs are integers.
class MinCut {
 public:
  /// The cost of a forbidden choice. The sum of all other costs must be less.
  static constexpr std::int64_t forbidden = std::int64_t{1} << 50;

  /// Adds a thing with its cost on either side. Returns its index: 0, 1, ...
  std::size_t add(std::int64_t cost_left, std::int64_t cost_right);
  /// Adds a cost for `a` being left while `b` is right.
  void add_edge(std::size_t a, std::size_t b, std::int64_t cost);

  /// Returns true for the things on the right in a cheapest assignment: the minimum cut of the
  /// graph of costs, which equals its maximum flow (Ford and Fulkerson 1956).
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
