#include "analysis/model/fusion.h"

#include <gmock/gmock.h>

#include <random>

namespace benanza::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Seconds = std::vector<std::optional<double>>;

TEST(CheapestCover, WithoutPiecesIsTheSumOfTheLayers) {
  const Cover cover = cheapest_cover(Seconds{1, 2, 4}, {});
  EXPECT_EQ(cover.seconds, 7);
  EXPECT_THAT(cover.pieces, IsEmpty());
  EXPECT_TRUE(cover.optimal);
}

TEST(CheapestCover, OfAChainTakesTheLongestPieceThatPays) {
  // conv 10, bn 2, relu 2: conv+bn 11, conv+bn+relu 11.5; alone 14.
  const std::vector<Piece> pieces{{{0, 1}, 11}, {{0, 1, 2}, 11.5}};
  const Cover cover = cheapest_cover(Seconds{10, 2, 2}, pieces);
  EXPECT_EQ(cover.seconds, 11.5);
  EXPECT_THAT(cover.pieces, ElementsAre(1));
}

TEST(CheapestCover, APieceThatDoesNotPayIsNotUsed) {
  EXPECT_THAT(cheapest_cover(Seconds{10, 2}, std::vector<Piece>{{{0, 1}, 12.5}}).pieces, IsEmpty());
  // Nor is one that only breaks even.
  const Cover even = cheapest_cover(Seconds{10, 2}, std::vector<Piece>{{{0, 1}, 12}});
  EXPECT_THAT(even.pieces, IsEmpty());
  EXPECT_EQ(even.seconds, 12);
}

TEST(CheapestCover, TheShorterPieceMayBeCheaper) {
  // 0+1 saves 3; 0+1+2 saves only 2.
  const std::vector<Piece> pieces{{{0, 1, 2}, 12}, {{0, 1}, 9}};
  const Cover cover = cheapest_cover(Seconds{10, 2, 2}, pieces);
  EXPECT_EQ(cover.seconds, 11);
  EXPECT_THAT(cover.pieces, ElementsAre(1));
}

TEST(CheapestCover, OverlappingPiecesDoNotShareALayer) {
  // A diamond's join: convolutions 0 (10) and 1 (6), then their sum 2 (3). Either convolution can
  // be fused with the sum: 0+2 for 11 saves 2, 1+2 for 6.5 saves 2.5. Both would do the sum twice.
  const std::vector<Piece> pieces{{{0, 2}, 11}, {{1, 2}, 6.5}};
  const Cover cover = cheapest_cover(Seconds{10, 6, 3}, pieces);
  EXPECT_EQ(cover.seconds, 16.5);
  EXPECT_THAT(cover.pieces, ElementsAre(1));
}

TEST(CheapestCover, GreedyWouldBeWrong) {
  // a 4, b 4, c 4, d 4: b+c saves 3, a+b and c+d save 2 each. The best single piece is b+c, but the
  // best cover is the other two.
  const std::vector<Piece> pieces{{{1, 2}, 5}, {{0, 1}, 6}, {{2, 3}, 6}};
  const Cover cover = cheapest_cover(Seconds{4, 4, 4, 4}, pieces);
  EXPECT_EQ(cover.seconds, 12);
  EXPECT_THAT(cover.pieces, ElementsAre(1, 2));
}

TEST(CheapestCover, ALayerWithoutATimeIsInNoPiece) {
  const std::vector<Piece> pieces{{{0, 1}, 1}, {{1, 2}, 1}};
  const Cover cover = cheapest_cover(Seconds{std::nullopt, 4, 4}, pieces);
  EXPECT_EQ(cover.seconds, 1);
  EXPECT_THAT(cover.pieces, ElementsAre(1));
}

TEST(CheapestCover, LayersNeedNotBeInOrder) {
  const std::vector<Piece> pieces{{{3, 0}, 5}, {{2, 1}, 5}};
  const Cover cover = cheapest_cover(Seconds{4, 4, 4, 4}, pieces);
  EXPECT_EQ(cover.seconds, 10);
  EXPECT_THAT(cover.pieces, ElementsAre(0, 1));
}

TEST(CheapestCover, SaysWhenTheSearchWasCutShort) {
  const std::vector<Piece> pieces{{{0, 1}, 6}, {{0, 2}, 6}, {{0, 3}, 5}, {{1, 2}, 5}};
  EXPECT_TRUE(cheapest_cover(Seconds{4, 4, 4, 4}, pieces).optimal);
  const Cover cut = cheapest_cover(Seconds{4, 4, 4, 4}, pieces, 1);
  EXPECT_FALSE(cut.optimal);
  EXPECT_LE(cut.seconds, 16);
  EXPECT_GE(cut.seconds, 10);
}

TEST(CheapestCover, ALongChainOfOverlapsIsOptimalAndQuick) {
  // 2001 layers of 4, every neighbouring pair for 5: 1000 pairs and one layer alone.
  std::vector<Piece> pieces;
  for (std::size_t layer = 0; layer < 2000; ++layer) pieces.push_back({{layer, layer + 1}, 5});
  const Cover cover = cheapest_cover(Seconds(2001, 4.0), pieces);
  EXPECT_EQ(cover.seconds, 5004);
  EXPECT_EQ(cover.pieces.size(), 1000);
  EXPECT_TRUE(cover.optimal);
}

/// Cost of the cheapest cover, by exhaustive search.
double least_of_all(const Seconds& seconds, const std::vector<Piece>& pieces) {
  double best = 1e9;
  for (unsigned subset = 0; subset < 1U << pieces.size(); ++subset) {
    std::vector<int> done(seconds.size());
    double total = 0;
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      if ((subset >> piece & 1U) == 0) continue;
      total += pieces[piece].seconds;
      for (const std::size_t layer : pieces[piece].layers) ++done[layer];
    }
    bool legal = true;
    for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
      legal = legal && done[layer] <= 1;
      if (done[layer] == 0) total += *seconds[layer];
    }
    if (legal) best = std::min(best, total);
  }
  return best;
}

TEST(CheapestCover, IsTheLeastOfAllCoversOfRandomPieces) {
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return random() % limit; };
  for (int round = 0; round < 200; ++round) {
    Seconds seconds;
    for (int layer = 0; layer < 8; ++layer) seconds.emplace_back(1 + below(9));
    std::vector<Piece> pieces;
    for (int piece = 0; piece < 9; ++piece) {
      Piece made;
      for (std::size_t layer = 0; layer < 8; ++layer) {
        if (below(3) == 0) made.layers.push_back(layer);
      }
      if (made.layers.empty()) continue;
      made.seconds = 1 + below(20);
      pieces.push_back(made);
    }
    const Cover cover = cheapest_cover(seconds, pieces);
    EXPECT_EQ(cover.seconds, least_of_all(seconds, pieces)) << round;
    EXPECT_TRUE(cover.optimal);
  }
}

}  // namespace
}  // namespace benanza::analysis
