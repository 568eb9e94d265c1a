#include "analysis/model/cover.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace benanza::analysis {
namespace {

/// Pieces connected by shared layers, directly or indirectly, and all their layers, ascending.
struct Group {
  std::vector<std::size_t> pieces;
  std::vector<std::size_t> layers;
};

/// Total time of the piece's layers alone; empty if one of them has none.
std::optional<double> alone(const Piece& piece, std::span<const std::optional<double>> seconds) {
  double total = 0;
  for (const std::size_t layer : piece.layers) {
    if (!seconds[layer]) return std::nullopt;
    total += *seconds[layer];
  }
  return total;
}

/// A union-find structure.
class Partition {
 public:
  explicit Partition(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t member) {
    while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parents_;
};

std::vector<Group> groups_of(const std::vector<std::size_t>& worthwhile,
                             std::span<const Piece> pieces, std::size_t layer_count) {
  Partition partition(layer_count);
  for (const std::size_t piece : worthwhile) {
    for (const std::size_t layer : pieces[piece].layers) {
      partition.join(layer, pieces[piece].layers.front());
    }
  }
  std::map<std::size_t, Group> groups;
  for (const std::size_t piece : worthwhile) {
    Group& group = groups[partition.root(pieces[piece].layers.front())];
    group.pieces.push_back(piece);
    group.layers.insert(group.layers.end(), pieces[piece].layers.begin(),
                        pieces[piece].layers.end());
  }
  std::vector<Group> result;
  for (auto& [root, group] : groups) {
    std::ranges::sort(group.layers);
    group.layers.erase(std::unique(group.layers.begin(), group.layers.end()), group.layers.end());
    result.push_back(std::move(group));
  }
  return result;
}

/// Later layers that are already taken, ascending.
using State = std::vector<std::size_t>;

struct Partial {
  double seconds = 0;
  std::vector<std::size_t> pieces;
};

using Partials = std::map<State, Partial>;

void keep_cheaper(Partials& partials, State state, Partial partial) {
  const auto [found, is_new] = partials.try_emplace(std::move(state), partial);
  if (!is_new && partial.seconds < found->second.seconds) found->second = std::move(partial);
}

/// Keeps the cheapest `most`. Returns true if none was dropped.
bool prune(Partials& partials, std::size_t most) {
  if (partials.size() <= most) return true;
  std::vector<double> costs;
  for (const auto& [state, partial] : partials) costs.push_back(partial.seconds);
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(most - 1),
                   costs.end());
  const double limit = costs[most - 1];
  std::erase_if(partials, [&](const auto& entry) { return entry.second.seconds > limit; });
  return false;
}

/// The state after adding a piece: the layers of `state` and of the piece, except its first. Empty
/// if they overlap.
std::optional<State> joined(const State& state, const std::vector<std::size_t>& sorted_layers) {
  State both;
  std::merge(state.begin(), state.end(), sorted_layers.begin() + 1, sorted_layers.end(),
             std::back_inserter(both));
  if (std::adjacent_find(both.begin(), both.end()) != both.end()) return std::nullopt;
  return both;
}

Cover cover_group(const Group& group, std::span<const std::optional<double>> seconds,
                  std::span<const Piece> pieces, std::size_t most) {
  std::multimap<std::size_t, std::pair<std::size_t, std::vector<std::size_t>>> by_first;
  for (const std::size_t piece : group.pieces) {
    std::vector<std::size_t> layers = pieces[piece].layers;
    std::ranges::sort(layers);
    const std::size_t first = layers.front();
    by_first.emplace(first, std::pair(piece, std::move(layers)));
  }
  Cover cover;
  Partials partials{{State{}, Partial{}}};
  for (const std::size_t layer : group.layers) {
    Partials next;
    for (const auto& [state, partial] : partials) {
      if (!state.empty() && state.front() == layer) {
        keep_cheaper(next, State(state.begin() + 1, state.end()), partial);
        continue;
      }
      keep_cheaper(next, state, {partial.seconds + *seconds[layer], partial.pieces});
      const auto [begin, end] = by_first.equal_range(layer);
      for (auto entry = begin; entry != end; ++entry) {
        const auto& [piece, layers] = entry->second;
        std::optional<State> taken = joined(state, layers);
        if (!taken) continue;
        Partial longer{partial.seconds + pieces[piece].seconds, partial.pieces};
        longer.pieces.push_back(piece);
        keep_cheaper(next, std::move(*taken), std::move(longer));
      }
    }
    partials = std::move(next);
    cover.optimal = prune(partials, most) && cover.optimal;
  }
  // All layers are decided, so only the empty state is left.
  const Partial& best = partials.begin()->second;
  cover.seconds = best.seconds;
  cover.pieces = best.pieces;
  return cover;
}

}  // namespace

Cover cheapest_cover(std::span<const std::optional<double>> seconds, std::span<const Piece> pieces,
                     std::size_t most) {
  std::vector<std::size_t> worthwhile;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (pieces[piece].layers.empty()) continue;
    const std::optional<double> separate = alone(pieces[piece], seconds);
    if (separate && pieces[piece].seconds < *separate) worthwhile.push_back(piece);
  }
  Cover cover;
  std::vector<bool> in_group(seconds.size());
  for (const Group& group : groups_of(worthwhile, pieces, seconds.size())) {
    const Cover part = cover_group(group, seconds, pieces, most);
    cover.seconds += part.seconds;
    cover.pieces.insert(cover.pieces.end(), part.pieces.begin(), part.pieces.end());
    cover.optimal = cover.optimal && part.optimal;
    for (const std::size_t layer : group.layers) in_group[layer] = true;
  }
  for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
    if (!in_group[layer]) cover.seconds += seconds[layer].value_or(0);
  }
  std::ranges::sort(cover.pieces);
  return cover;
}

}  // namespace benanza::analysis
