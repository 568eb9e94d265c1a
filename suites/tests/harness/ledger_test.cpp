#include "suites/harness/run/ledger.h"

#include <gmock/gmock.h>

#include "suites/tests/harness/named_variants.h"

namespace benanza::harness {
namespace {

using test::named;
using test::ok;
using test::row;
using test::with_company;

struct LedgerTest : testing::Test {
  void keep(const NamedVariant& variant, std::int64_t repetition, const Outcome& outcome) {
    EXPECT_TRUE(ledger.keep(row(variant, repetition, outcome, store.process()), outcome));
  }

  NamedVariant a = named("a");
  NamedVariant b = named("b");
  ResultStore store = test::empty_store();
  InterruptGuard interrupt;
  Ledger ledger{store, interrupt, {.asked = 2}};
};

TEST_F(LedgerTest, StoresAndCounts) {
  keep(a, 0, ok());
  keep(a, 1, with_company(ok()));
  keep(b, 0, {.status = Status::incorrect, .reason = "because"});
  EXPECT_NE(store.find(a.name, 1), nullptr);
  const Tally tally = ledger.tally();
  EXPECT_EQ(tally.asked, 2);
  EXPECT_EQ(tally.count(Status::ok), 2);
  EXPECT_EQ(tally.count(Status::incorrect), 1);
  EXPECT_EQ(tally.first_bad, b.name);
  EXPECT_EQ(tally.disturbed, 1);
  EXPECT_EQ(tally.timed_seconds, 2);
  EXPECT_TRUE(ledger.goes_on());
}

TEST_F(LedgerTest, ARowThatReplacesOneOfThisProcessIsNotCountedAgain) {
  keep(a, 0, with_company(ok()));
  ledger.replace(row(a, 0, ok(2e-6), store.process()), ok(2e-6));
  EXPECT_EQ(store.find(a.name, 0)->samples.front(), 2e-6);
  const Tally tally = ledger.tally();
  EXPECT_EQ(tally.count(Status::ok), 1);
  EXPECT_EQ(tally.disturbed, 0);
  EXPECT_EQ(tally.timed_seconds, 2);
}

TEST_F(LedgerTest, ARowOfAnEarlierProcessWasNeverCounted) {
  store.add(row(a, 0, with_company(ok()), store.process() + 1));
  ledger.replace(row(a, 0, ok(), store.process()), ok());
  EXPECT_EQ(ledger.tally().disturbed, 0);
}

TEST_F(LedgerTest, KnowsTheFastestOfEarlierRunsAndOfThisOne) {
  store.add(row(a, 0, ok(3)));
  Ledger later(store, interrupt, {});
  EXPECT_EQ(later.rival_seconds(b.name), 3);
  const NamedVariant c = named("c");
  EXPECT_TRUE(later.keep(row(c, 0, ok(2)), ok(2)));
  EXPECT_EQ(later.rival_seconds(b.name), 2);
}

TEST_F(LedgerTest, EndsWithALostEngine) {
  Outcome lost{.status = Status::failed, .reason = "because"};
  lost.engine_lost = true;
  keep(a, 0, lost);
  EXPECT_FALSE(ledger.goes_on());
  EXPECT_EQ(ledger.tally().lost_at, a.name);
}

TEST_F(LedgerTest, EndsWithALostEngineWhenARowIsTakenAgain) {
  keep(a, 0, with_company(ok()));
  Outcome lost{.status = Status::failed, .reason = "because"};
  lost.engine_lost = true;
  ledger.replace(row(a, 0, lost, store.process()), lost);
  EXPECT_FALSE(ledger.goes_on());
  EXPECT_EQ(ledger.tally().lost_at, a.name);
  EXPECT_EQ(store.find(a.name, 0)->status, Status::failed);
}

}  // namespace
}  // namespace benanza::harness
