#include "suites/harness/run/ledger.h"

#include <gtest/gtest.h>

#include "suites/tests/harness/named_variants.h"

namespace benanza::harness {
namespace {

using test::named;
using test::ok;
using test::row;
using test::with_company;

struct TallyTest : testing::Test {
  std::vector<NamedVariant> variants{named("a"), named("b"), named("c")};
  ResultStore store = test::empty_store();
};

TEST_F(TallyTest, AtTheStartKnowsWhatIsAskedFor) {
  store.add(row(variants[0], 0, ok()));
  store.add(row(variants[0], 1, ok()));
  store.add(row(variants[1], 0, ok()));
  const Tally tally = tally_at_start(variants, store, 2);
  EXPECT_EQ(tally.asked, 3);
  EXPECT_EQ(tally.measured_before, 1);
  EXPECT_EQ(tally.count(Status::ok), 0);
  EXPECT_TRUE(is_anything_due(variants, store, 2));
  EXPECT_FALSE(is_anything_due({variants.data(), 1}, store, 2));
}

// Processes 2 and 3 are of this run, process 1 of an earlier one.
TEST_F(TallyTest, OfARunCountsTheRowsOfItsProcesses) {
  store.add(row(variants[0], 0, ok(), 1));
  store.add(row(variants[1], 0, ok(), 2));
  store.add(row(variants[1], 1, with_company(ok()), 3));
  store.add(row(variants[2], 0, {.status = Status::failed, .reason = "because"}, 2));
  store.set_first_process(2);
  const Tally tally = tally_of_run(variants, store, 2);
  EXPECT_EQ(tally.asked, 3);
  EXPECT_EQ(tally.measured_before, 1);
  EXPECT_EQ(tally.count(Status::ok), 2);
  EXPECT_EQ(tally.count(Status::failed), 1);
  EXPECT_EQ(tally.first_bad, variants[2].name);
  EXPECT_EQ(tally.disturbed, 1);
  EXPECT_EQ(tally.timed_seconds, 2);
}

}  // namespace
}  // namespace benanza::harness
