#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace benanza::analysis {

/// One call that does the work of several layers. `layers` are indices without duplicates.
struct Piece {
  std::vector<std::size_t> layers{};
  double seconds = 0;
};

/// A choice of calls that does every layer once: by one of the pieces, or alone.
struct Cover {
  /// Sum over the used pieces and over the layers that are done alone.
  double seconds = 0;
  /// Indices of the used pieces, ascending.
  std::vector<std::size_t> pieces{};
  /// True if no cover is cheaper. False only if the search was pruned.
  bool optimal = true;
};

/// Maximum number of partial covers that the search keeps at a time.
inline constexpr std::size_t most_partial_covers = 1U << 14U;

/// Returns the cheapest cover of the layers whose time is known; `seconds[layer]` is a layer's time
/// alone. This is weighted set packing, solved by dynamic programming: layers are decided in order,
/// a state is the set of later layers that are already taken, and only the cheapest of equal states
/// is kept. Where pieces overlap in chains and trees there are few states, and the result is
/// optimal. With more than `most` states at a time only the cheapest are kept, and the result may
/// be suboptimal. A piece is used only if that is cheaper than its layers alone, and only if all of
/// them have a time.
Cover cheapest_cover(std::span<const std::optional<double>> seconds, std::span<const Piece> pieces,
                     std::size_t most = most_partial_covers);

}  // namespace benanza::analysis
