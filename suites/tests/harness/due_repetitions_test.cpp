#include "suites/harness/run/queue.h"

#include <gmock/gmock.h>

#include "suites/tests/harness/named_variants.h"

namespace benanza::harness {
namespace {

using test::named;
using test::ok;
using test::row;
using testing::ElementsAre;

struct DueRepetitionsTest : testing::Test {
  std::vector<NamedVariant> variants{named("a"), named("b")};
  const std::string a = variants[0].name;
  const std::string b = variants[1].name;
  ResultStore store = test::empty_store();
};

TEST_F(DueRepetitionsTest, AreTakenOneAfterTheOther) {
  DueRepetitions due(variants, store, 2);
  EXPECT_THAT(due.variants(), ElementsAre(&variants[0], &variants[1]));
  EXPECT_EQ(due.left(a), 2);
  for (const std::int64_t repetition : {0, 1}) {
    EXPECT_EQ(due.next(a), repetition);
    store.add(row(variants[0], repetition, ok()));
    due.take(a, repetition);
  }
  EXPECT_EQ(due.left(a), 0);
  EXPECT_EQ(due.next(b), 0);
}

TEST_F(DueRepetitionsTest, GoOnWhereEarlierRunsEnded) {
  store.add(row(variants[0], 0, ok()));
  store.add(row(variants[0], 1, ok()));
  store.add(row(variants[1], 0, ok()));
  const DueRepetitions due(variants, store, 2);
  EXPECT_THAT(due.variants(), ElementsAre(&variants[1]));
  EXPECT_EQ(due.left(b), 1);
  EXPECT_EQ(due.next(b), 1);
}

TEST_F(DueRepetitionsTest, NoMoreAreNeededOfWhatIsNotOk) {
  DueRepetitions due(variants, store, 3);
  store.add(row(variants[0], 0, {.status = Status::failed, .reason = "because"}));
  due.take(a, 0);
  EXPECT_EQ(due.next(a), std::nullopt);
}

TEST_F(DueRepetitionsTest, NoMoreAreNeededOfWhatWasOutclassedTwice) {
  DueRepetitions due(variants, store, 4);
  Outcome slow = ok();
  slow.stopped_by = stopped_by_rival;
  store.add(row(variants[0], 0, slow));
  due.take(a, 0);
  EXPECT_EQ(due.next(a), 1);
  store.add(row(variants[0], 1, slow));
  due.take(a, 1);
  EXPECT_EQ(due.next(a), std::nullopt);
}

TEST_F(DueRepetitionsTest, HaveRowsInTheOrderInWhichTheyWereTaken) {
  store.add(row(variants[0], 0, ok(1)));
  DueRepetitions due(variants, store, 3);
  EXPECT_EQ(due.row(a, 0), nullptr);  // that of the earlier run is not reported again
  store.add(row(variants[0], 1, ok(2)));
  due.take(a, 1);
  ASSERT_NE(due.row(a, 0), nullptr);
  EXPECT_THAT(due.row(a, 0)->samples, ElementsAre(2));
  EXPECT_EQ(due.row(a, 1), nullptr);
  EXPECT_EQ(due.row("other", 0), nullptr);
}

}  // namespace
}  // namespace benanza::harness
