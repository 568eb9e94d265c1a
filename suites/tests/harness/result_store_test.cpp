#include "suites/harness/keep/result_store.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"
#include "core/tests/folder.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The variant's name for the algorithm `name`.
std::string full(const std::string& name) { return "relu/8/fp32/plain/fake/" + name; }

Row result_store_row(const std::string& name, Status status = Status::ok,
                     std::int64_t repetition = 0) {
  Outcome outcome{.status = status};
  if (status == Status::ok) {
    outcome.samples = {1e-6};
  } else {
    outcome.reason = "because";
  }
  return make_row(full(name), repetition, {}, outcome);
}

struct Store : ::testing::Test {
  std::filesystem::path journal() const { return file.string() + ".journal"; }
  ResultStore open(bool fresh = false, const std::string& threads = "1") const {
    return ResultStore(file, {"fake", {{"threads", threads}}}, fresh);
  }
  std::vector<std::string> names_in_file() const {
    std::vector<std::string> names;
    read_rows(file, {.begin = [](const Origin&) {},
                     .add = [&](Row&& found) { names.push_back(found.variant.algorithm); }});
    return names;
  }
  test::Folder folder;
  std::filesystem::path file = folder / "deep/r.json";
};

TEST_F(Store, WritesTheFileAndRemovesTheJournal) {
  ResultStore store = open();
  store.add(result_store_row("a"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(read_file(journal()), HasSubstr("/a\""));
  store.write({});
  EXPECT_THAT(names_in_file(), ElementsAre("a"));
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(Store, RowsOfARunThatNeverEndedAreThereAgain) {
  open().add(result_store_row("a"));  // destroyed without write()
  ResultStore store = open();
  EXPECT_EQ(store.finished(full("a"), 1), 1);
  EXPECT_EQ(store.finished(full("b"), 1), 0);
  store.add(result_store_row("b"));
  store.write({});
  EXPECT_THAT(names_in_file(), ElementsAre("a", "b"));
}

TEST_F(Store, ATornLastLineIsRepaired) {
  open().add(result_store_row("a"));
  std::string text = read_file(journal());
  for (const std::string& tail :
       {std::string("{\"name\": \"relu"), row_text(result_store_row("b"))}) {
    write_file(journal(), text + tail);  // no line break: incomplete
    ResultStore store = open();
    EXPECT_EQ(store.finished(full("a"), 1), 1);
    EXPECT_EQ(store.finished(full("b"), 1), 0);
    store.add(result_store_row("c"));
    EXPECT_EQ(read_file(journal()), text + row_text(result_store_row("c")) + '\n');
  }
}

TEST_F(Store, ADamagedLineCostsOnlyItself) {
  {
    ResultStore store = open();
    store.add(result_store_row("a"));
    store.add(result_store_row("b"));
  }
  std::string text = read_file(journal());
  text.replace(text.find("/a\""), 3, "/a#\x01");
  write_file(journal(), text);
  ResultStore store = open();
  EXPECT_EQ(store.finished(full("a"), 1), 0);
  EXPECT_EQ(store.finished(full("b"), 1), 1);
}

TEST_F(Store, AJournalCutAtAnyPlaceIsReadable) {
  {
    ResultStore store = open();
    store.add(result_store_row("a"));
    store.add(result_store_row("b"));
  }
  const std::string text = read_file(journal());
  constexpr std::size_t step = 23;
  for (std::size_t length = 0; length < text.size(); length += step) {
    write_file(journal(), text.substr(0, length));
    const auto whole = std::count(text.begin(), text.begin() + static_cast<long>(length), '\n');
    ResultStore store = open();
    EXPECT_EQ(store.finished(full("a"), 1), whole >= 2 ? 1 : 0) << length;
    EXPECT_EQ(store.finished(full("b"), 1), 0) << length;
  }
}

TEST_F(Store, RowsInFileAndJournalAreOneRow) {
  // The state after a kill between writing the file and clearing the journal.
  open().add(result_store_row("a"));
  const std::string kept = read_file(journal());
  open().write({});
  write_file(journal(), kept);
  ResultStore store = open();
  store.add(result_store_row("b"));
  store.write({});
  EXPECT_THAT(names_in_file(), ElementsAre("a", "b"));
}

TEST_F(Store, RefusalsCountAsFinishedFailuresDoNot) {
  {
    ResultStore earlier_run = open();
    earlier_run.add(result_store_row("refused", Status::unsupported));
    earlier_run.add(result_store_row("wrong", Status::incorrect));
    earlier_run.add(result_store_row("failed", Status::failed));
  }
  ResultStore store = open();
  EXPECT_EQ(store.finished(full("refused"), 3), 3);
  EXPECT_EQ(store.finished(full("wrong"), 1), 0);
  EXPECT_EQ(store.finished(full("failed"), 1), 0);
  store.add(result_store_row("failed"));
  EXPECT_EQ(store.finished(full("failed"), 1), 1);
  store.write({});
  EXPECT_THAT(names_in_file(), ElementsAre("refused", "wrong", "failed"));
}

Row row_of_process(const std::string& name, std::int64_t process, Status status = Status::ok) {
  Row made = result_store_row(name, status);
  made.process = process;
  return made;
}

TEST_F(Store, NumbersItsProcesses) {
  EXPECT_EQ(open().process(), 1);
  {
    ResultStore store = open();
    store.add(result_store_row("a"));  // of a suite that did not number them
    store.write({});
  }
  EXPECT_EQ(open().process(), 2);
  open().add(row_of_process("b", 7));  // in the journal
  ResultStore store = open();
  EXPECT_EQ(store.process(), 8);
  EXPECT_EQ(store.first_process(), 8);
  EXPECT_FALSE(store.is_of_this_run(*store.find(full("b"), 0)));
  store.set_first_process(7);
  EXPECT_TRUE(store.is_of_this_run(*store.find(full("b"), 0)));
  EXPECT_FALSE(store.is_of_this_run(*store.find(full("a"), 0)));
}

TEST_F(Store, WhatFailedIsNotTriedByAnotherProcessOfTheRun) {
  open().add(row_of_process("wrong", 3, Status::incorrect));
  ResultStore store = open();
  EXPECT_EQ(store.finished(full("wrong"), 5), 0);
  store.set_first_process(3);
  EXPECT_EQ(store.finished(full("wrong"), 5), 5);
}

TEST_F(Store, CountsRepetitionsFromTheFirst) {
  ResultStore store = open();
  store.add(result_store_row("a", Status::ok, 0));
  store.add(result_store_row("a", Status::ok, 1));
  EXPECT_EQ(store.finished(full("a"), 1), 1);
  EXPECT_EQ(store.finished(full("a"), 2), 2);
  EXPECT_EQ(store.finished(full("a"), 5), 2);
}

TEST_F(Store, AVariantIsSettledOnceItWasOutclassedTwice) {
  ResultStore store = open();
  const auto slow = [](std::int64_t repetition) {
    return make_row(full("a"), repetition, {},
                    {.status = Status::ok, .samples = {1}, .stopped_by = "outclassed"});
  };
  store.add(slow(0));
  EXPECT_EQ(store.finished(full("a"), 5), 1);
  store.add(slow(1));
  EXPECT_EQ(store.finished(full("a"), 5), 5);
}

TEST_F(Store, CompanyOutclassesNothing) {
  ResultStore store = open();
  for (std::int64_t repetition = 0; repetition < 3; ++repetition) {
    store.add(make_row(full("a"), repetition, {},
                       {.status = Status::ok,
                        .samples = {1},
                        .stopped_by = "outclassed",
                        .disturbances = {"other processes on 0.6 processors"},
                        .company = true}));
    EXPECT_EQ(store.finished(full("a"), 5), repetition + 1);
  }
}

TEST_F(Store, FreshDiscardsFileAndJournal) {
  {
    ResultStore store = open();
    store.add(result_store_row("a"));
    store.write({});
  }
  open().add(result_store_row("b"));
  { ResultStore store = open(true); }
  ResultStore store = open();
  EXPECT_EQ(store.finished(full("a"), 1), 0);
  EXPECT_EQ(store.finished(full("b"), 1), 0);
}

TEST_F(Store, FreshIsTheWayOutOfADamagedOrForeignFile) {
  make_directories(file.parent_path());
  write_file(file, "garbage");
  EXPECT_THROW(open(), Error);
  EXPECT_EQ(read_file(file), "garbage");
  EXPECT_FALSE(std::filesystem::exists(journal()));
  EXPECT_NO_THROW(open(true));
}

TEST_F(Store, AnotherSystemIsRefusedByFileAndByJournal) {
  open(false, "1").add(result_store_row("a"));
  EXPECT_THROW(open(false, "2"), Error);
  open(false, "1").write({});
  EXPECT_THROW(open(false, "2"), Error);
  EXPECT_THAT(names_in_file(), ElementsAre("a"));
}

// Results of an older version of the suite can be continued.
TEST_F(Store, WhatOnlyOneVersionTellsOfTheSystemMakesItNoOther) {
  open().add(result_store_row("a"));
  open().write({});
  ResultStore(file, {"fake", {{"threads", "1"}, {"cache_bytes", "5"}}}, false)
      .add(result_store_row("b"));
  EXPECT_NO_THROW(open());
  EXPECT_THROW(ResultStore(file, {"fake", {{"threads", "2"}, {"cache_bytes", "5"}}}, false), Error);
}

TEST_F(Store, WhatDiffersIsNamedWithTheWayOut) {
  open(false, "1").add(result_store_row("a"));
  EXPECT_THAT(
      test::error_of([&] { open(false, "2"); }),
      AllOf(HasSubstr("measured with threads = \"1\", now it is \"2\""), HasSubstr("--fresh")));
  make_directories(file.parent_path());
  write_file(file, "{");
  EXPECT_THAT(test::error_of([&] { open(); }),
              AllOf(HasSubstr("r.json: is not a results file: not JSON, or cut short"),
                    HasSubstr("--fresh")));
}

TEST_F(Store, OneProcessAtATime) {
  const ResultStore store = open();
  try {
    open();
    FAIL() << "a second store opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another process"));
  }
  EXPECT_THROW(open(true), Error);  // not removed by --fresh either
}

TEST_F(Store, LeavesAFileAloneThatIsComplete) {
  {
    ResultStore store = open();
    store.add(result_store_row("a"));
    store.write({});
  }
  const auto time = std::filesystem::last_write_time(file);
  open().write({});
  EXPECT_EQ(std::filesystem::last_write_time(file), time);
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(Store, WithoutAPathNothingTouchesTheDisk) {
  ResultStore store({}, {"fake", {}}, true);
  store.add(result_store_row("a"));
  store.write({});
  EXPECT_EQ(folder.entries(), 0);
  EXPECT_THAT(store.document({}), HasSubstr("/a\""));
}

TEST_F(Store, AFolderIsNoResultsFile) {
  make_directories(file);
  EXPECT_THROW(open(), Error);
  EXPECT_THROW(open(true), Error);
}

}  // namespace
}  // namespace benanza::harness
