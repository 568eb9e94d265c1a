#include "suites/harness/conditions/anchors.h"

#include <gmock/gmock.h>

#include <new>
#include <sstream>

namespace benanza::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

/// An anchor whose n-th run takes n seconds of a clock that it moves.
struct Clock {
  double now = 0;
  int runs = 0;
  Anchors::Anchor anchor(const std::string& name) {
    return {.name = name, .time = [this] {
              ++runs;
              now += runs;
              return static_cast<double>(runs);
            }};
  }
};

TEST(Anchors, ASampleIsTheFastestOfThreeRuns) {
  Clock clock;
  Anchors anchors({clock.anchor("copy")}, [&] { return clock.now; });
  EXPECT_THAT(anchors.context_entries(), IsEmpty());
  anchors.sample();
  anchors.sample();
  EXPECT_EQ(clock.runs, 6);
  EXPECT_THAT(anchors.context_entries(), ElementsAre(Pair("anchor_copy_seconds", "1 4")));
}

// The first sample takes 1 + 2 + 3 seconds: the next one is due 600 seconds later.
TEST(Anchors, TakeAHundredthOfTheTime) {
  Clock clock;
  Anchors anchors({clock.anchor("copy")}, [&] { return clock.now; });
  anchors.sample_if_due();
  EXPECT_EQ(clock.runs, 3);
  clock.now += 599;
  anchors.sample_if_due();
  EXPECT_EQ(clock.runs, 3);
  clock.now += 2;
  anchors.sample_if_due();
  EXPECT_EQ(clock.runs, 6);
}

// Runs 1, 4, 7, ... are the fastest of their samples. 64 samples become every other one, and from
// then on only every other one is taken.
TEST(Anchors, SamplesOfALongRunAreSpreadEvenly) {
  Clock clock;
  Anchors anchors({clock.anchor("copy")}, [&] { return clock.now; });
  for (std::size_t i = 0; i < Anchors::most_samples; ++i) anchors.sample();
  const std::vector<std::string> half = words(anchors.context_entries()[0].second);
  ASSERT_THAT(half, SizeIs(32));
  EXPECT_EQ(half[0], "1");
  EXPECT_EQ(half[1], "7");
  anchors.sample();
  anchors.sample();
  anchors.sample();
  const std::vector<std::string> more = words(anchors.context_entries()[0].second);
  EXPECT_THAT(more, SizeIs(34));
  EXPECT_EQ(clock.runs, 66 * 3) << "samples that are not kept are not taken";
}

TEST(Anchors, OneWithoutMemoryHasNoTimes) {
  Anchors anchors({{.name = "copy", .time = []() -> double { throw std::bad_alloc(); }},
                   {.name = "arithmetic", .time = [] { return 2.0; }}});
  anchors.sample_block();
  EXPECT_THAT(anchors.context_entries(), ElementsAre(Pair("anchor_arithmetic_seconds", "2 2 2")));
}

TEST(Anchors, ThoseOfTheHostTakeTime) {
  Anchors anchors(host_anchors());
  anchors.sample();
  const auto entries = anchors.context_entries();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].first, "anchor_arithmetic_seconds");
  EXPECT_EQ(entries[1].first, "anchor_copy_seconds");
  for (const auto& [name, text] : entries) EXPECT_GT(std::stod(text), 1e-6) << name;
}

// The next process writes the file anew.
TEST(Anchors, OfEarlierProcessesStay) {
  EXPECT_EQ(with_earlier_samples({1, 0.5}, "2 0.25"), "1 0.5 2 0.25");
  EXPECT_EQ(with_earlier_samples({1}, ""), "1");
  EXPECT_EQ(with_earlier_samples({}, "2"), "2");
  const std::vector<std::string> both =
      words(with_earlier_samples(std::vector<double>(50, 1), "2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2"));
  EXPECT_THAT(both, SizeIs(33));
  EXPECT_EQ(std::ranges::count(both, "1"), 25) << "fewer of either";
}

class Plain final : public Observer {
 public:
  void begin() override { ++begun; }
  Conditions end() override { return {.facts = {{"seen", true}}}; }
  int begun = 0;
};

// Nothing runs between the warm-up of a variant and its times.
TEST(Anchors, AreTimedAfterAVariant) {
  Clock clock;
  Anchors anchors({clock.anchor("copy")}, [&] { return clock.now; });
  Plain plain;
  AnchoredObserver observer(plain, anchors);
  observer.begin();
  EXPECT_EQ(plain.begun, 1);
  EXPECT_EQ(clock.runs, 0);
  EXPECT_THAT(observer.end().facts, SizeIs(1));
  EXPECT_EQ(clock.runs, 3);
}

}  // namespace
}  // namespace benanza::harness
