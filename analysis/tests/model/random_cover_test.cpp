// The bound with fusion of random models, with holes, against all ways to choose fusions.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "analysis/model/fusion.h"

namespace benanza::analysis {
namespace {

/// The layers left without a time, and the seconds of the others.
using PieceCost = std::pair<std::size_t, double>;

/// What a layer alone adds. One whose time should count and is unknown is a hole.
PieceCost alone(const LayerTime& time, Movement movement) {
  if (time.status == LayerStatus::free) return {0, 0};
  if (time.status == LayerStatus::movement && movement == Movement::exclude) return {0, 0};
  return time.seconds ? PieceCost{0, *time.seconds} : PieceCost{1, 0};
}

/// Returns the cost of a choice; empty if two of its fusions do the same layer.
std::optional<PieceCost> cost_of(unsigned choice, const std::vector<LayerTime>& layers,
                                 const std::vector<Piece>& pieces, Movement movement) {
  std::vector<int> done(layers.size());
  PieceCost cost{0, 0};
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if ((choice >> piece & 1U) == 0) continue;
    cost.second += pieces[piece].seconds;
    for (const std::size_t layer : pieces[piece].layers) {
      if (++done[layer] > 1) return std::nullopt;
    }
  }
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (done[layer] > 0) continue;
    const PieceCost more = alone(layers[layer], movement);
    cost.first += more.first;
    cost.second += more.second;
  }
  return cost;
}

PieceCost least_of_all(const std::vector<LayerTime>& layers, const std::vector<Piece>& pieces,
                       Movement movement) {
  PieceCost least{layers.size() + 1, 0};
  for (unsigned choice = 0; choice < 1U << pieces.size(); ++choice) {
    if (const auto cost = cost_of(choice, layers, pieces, movement)) least = std::min(least, *cost);
  }
  return least;
}

unsigned choice_of(const Cover& cover) {
  unsigned choice = 0;
  for (const std::size_t piece : cover.pieces) choice |= 1U << piece;
  return choice;
}

TEST(CoverOf, LeavesTheFewestHolesAndThenTakesTheLeastTime) {
  std::mt19937 random(11);
  const auto below = [&](unsigned limit) { return random() % limit; };
  for (int turn = 0; turn < 600; ++turn) {
    std::vector<LayerTime> layers;
    for (int layer = 0; layer < 7; ++layer) {
      constexpr LayerStatus statuses[] = {LayerStatus::measured, LayerStatus::measured,
                                          LayerStatus::movement, LayerStatus::movement,
                                          LayerStatus::free,     LayerStatus::unsupported,
                                          LayerStatus::missing};
      LayerTime time{.status = statuses[below(std::size(statuses))]};
      const bool may_have = time.status == LayerStatus::movement && below(2) == 0;
      if (time.status == LayerStatus::measured || may_have) time.seconds = 1 + below(9);
      if (time.status == LayerStatus::free) time.seconds = 0;
      layers.push_back(time);
    }
    std::vector<Piece> pieces;
    for (int piece = 0; piece < 8; ++piece) {
      Piece made{.layers = {}, .seconds = 1.0 + below(25)};
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        if (below(3) == 0) made.layers.push_back(layer);
      }
      pieces.push_back(std::move(made));
    }
    // A fusion that was not measured: a piece without layers.
    pieces.emplace_back();
    for (const Movement movement : {Movement::exclude, Movement::include}) {
      const Cover cover = cover_of(layers, pieces, movement);
      const PieceCost least = least_of_all(layers, pieces, movement);
      const std::optional<PieceCost> chosen = cost_of(choice_of(cover), layers, pieces, movement);
      ASSERT_TRUE(chosen) << turn << ": two fusions do one layer";
      EXPECT_EQ(chosen->first, least.first) << turn;
      EXPECT_DOUBLE_EQ(chosen->second, least.second) << turn;
      EXPECT_DOUBLE_EQ(cover.seconds, least.second) << turn;
    }
  }
}

}  // namespace
}  // namespace benanza::analysis
