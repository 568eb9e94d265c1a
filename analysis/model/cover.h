#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace benanza::analysis {

/// One call that does the work of several layers, in seconds. Layers are indices, each once.
struct Piece {
  std::vector<std::size_t> layers{};
  double seconds = 0;
};

/// Every layer done once: by one of `pieces`, or alone.
struct Cover {
  /// Sum over the pieces and over the layers that are left alone.
  double seconds = 0;
  /// Indices of the pieces that are used, ascending.
  std::vector<std::size_t> pieces{};
  /// No cover is cheaper. False only where the search was cut short.
  bool optimal = true;
};

/// Partial covers that the search keeps at a time.
inline constexpr std::size_t most_partial_covers = 1U << 14U;

/// The cheapest cover of the layers whose time is known, `seconds[layer]` being a layer's time
/// alone: a choice of disjoint weighted sets, by dynamic programming. Layers are decided in order;
/// a state is which later layers are taken already, and of equal states only the cheapest goes on.
/// Where pieces overlap in chains and trees there are few states, and the answer is the optimum;
/// with more than `most` states at a time, the cheapest of them go on and the answer may be worse.
/// A piece is used only where it pays: never for a layer without a time, and never for the
/// time that its layers take alone, or more.
Cover cheapest_cover(std::span<const std::optional<double>> seconds, std::span<const Piece> pieces,
                     std::size_t most = most_partial_covers);

}  // namespace benanza::analysis
