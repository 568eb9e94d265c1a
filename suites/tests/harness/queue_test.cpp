#include "suites/harness/run/queue.h"

#include <gmock/gmock.h>

#include <set>

#include "suites/tests/harness/fake/fake_backend.h"
#include "suites/tests/harness/named_variants.h"

namespace benanza::harness {
namespace {

using test::named;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Says what it is told in advance, and is still preparing some.
struct BusyBackend : FakeBackend {
  BusyBackend() : FakeBackend("1") {}
  bool is_ready(const Variant& variant) override { return !preparing.contains(variant.algorithm); }
  void prefetch(const Variant& variant) override { hints.push_back(variant.algorithm); }

  std::set<Algorithm> preparing;
  std::vector<Algorithm> hints;
};

struct QueueTest : testing::Test {
  BusyBackend backend;
  NamedVariant a = named("a");
  NamedVariant b = named("b");
  NamedVariant c = named("c");
};

TEST_F(QueueTest, WhatIsReadyIsOneRoundInTheGivenOrder) {
  Queue queue(backend, {&b, &a, &c});
  EXPECT_THAT(queue.next_round(), ElementsAre(&b, &a, &c));
  for (const NamedVariant* const variant : {&b, &a, &c}) EXPECT_FALSE(queue.is_postponed(*variant));
  EXPECT_THAT(queue.next_round(), IsEmpty());
}

TEST_F(QueueTest, WithoutVariantsThereIsNoRound) {
  EXPECT_THAT(Queue(backend, {}).next_round(), IsEmpty());
}

TEST_F(QueueTest, WhatIsNotReadyComesInTheNextRound) {
  Queue queue(backend, {&a, &b, &c});
  queue.next_round();
  backend.preparing = {"a", "c"};
  EXPECT_TRUE(queue.is_postponed(c));
  EXPECT_FALSE(queue.is_postponed(b));
  EXPECT_TRUE(queue.is_postponed(a));
  EXPECT_THAT(queue.next_round(), ElementsAre(&c, &a));
}

// All repetitions of a variant are registered together, so they are postponed together.
TEST_F(QueueTest, WhatWasPostponedStaysPostponedInItsRound) {
  Queue queue(backend, {&a, &b});
  queue.next_round();
  backend.preparing = {"a"};
  EXPECT_TRUE(queue.is_postponed(a));
  backend.preparing = {};
  EXPECT_TRUE(queue.is_postponed(a));
  EXPECT_THAT(queue.next_round(), ElementsAre(&a));
  EXPECT_FALSE(queue.is_postponed(a));
}

TEST_F(QueueTest, WaitsForOneIfNothingStartedInTheLastRound) {
  backend.preparing = {"a", "b"};
  Queue queue(backend, {&a, &b});
  queue.next_round();
  EXPECT_TRUE(queue.is_postponed(a));
  EXPECT_TRUE(queue.is_postponed(b));
  EXPECT_THAT(queue.next_round(), ElementsAre(&a, &b));
  EXPECT_FALSE(queue.is_postponed(a));
  EXPECT_TRUE(queue.is_postponed(b));
  // One was started, so that there may be others that are ready.
  EXPECT_THAT(queue.next_round(), ElementsAre(&b));
  EXPECT_TRUE(queue.is_postponed(b));
  EXPECT_THAT(queue.next_round(), ElementsAre(&b));
  EXPECT_FALSE(queue.is_postponed(b));
  EXPECT_THAT(queue.next_round(), IsEmpty());
}

TEST_F(QueueTest, HintsAtEveryVariantOnceBeforeItsTurn) {
  const NamedVariant refused = named("refused", Status::unsupported);
  Queue queue(backend, {&a, &refused, &b});
  queue.look_ahead(refused);
  EXPECT_THAT(backend.hints, IsEmpty());
  queue.look_ahead(a);
  queue.look_ahead(b);
  EXPECT_THAT(backend.hints, ElementsAre("a", "b"));
}

TEST_F(QueueTest, DoesNotLookFurtherAheadThanTheBackendCanPrepare) {
  std::vector<NamedVariant> many;
  std::vector<const NamedVariant*> due;
  for (std::size_t i = 0; i < looked_ahead + 10; ++i) many.push_back(named(std::to_string(i)));
  for (const NamedVariant& variant : many) due.push_back(&variant);
  Queue queue(backend, due);
  queue.look_ahead(many[0]);
  EXPECT_THAT(backend.hints, SizeIs(looked_ahead));
  queue.look_ahead(many[3]);
  EXPECT_THAT(backend.hints, SizeIs(looked_ahead + 3));
  EXPECT_EQ(backend.hints.back(), std::to_string(looked_ahead + 2));
  queue.look_ahead(many[1]);
  EXPECT_THAT(backend.hints, SizeIs(looked_ahead + 3));
}

}  // namespace
}  // namespace benanza::harness
