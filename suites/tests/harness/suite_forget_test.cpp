// --forget: the results of some problems are removed, all others stay.
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Forget : Suite {
  Finished forget(std::vector<std::string> arguments) const {
    arguments.push_back("--forget=" + folder.path().string());
    return run(std::move(arguments));
  }
  /// The fake has four variants of each of relu/1x8 and relu/2x8 at fp32: two layouts, two
  /// algorithms.
  void measure_both() const { run({out_flag(), "--problem=relu/1x8", "--problem=relu/2x8"}); }
};

TEST_F(Forget, OnlyTheProblemsAskedForAreRemoved) {
  measure_both();
  ASSERT_EQ(names().size(), 8U);
  const Finished done = forget({"--problem=relu/1x8"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("bench_fake: 4 rows removed from 1 file in "));
  EXPECT_EQ(names().size(), 4U);
  EXPECT_THAT(names(), Each(HasSubstr("relu/2x8/")));
  // Nothing is left to remove, and the file is not written again.
  const std::string before = read_file(file);
  EXPECT_THAT(forget({"--problem=relu/1x8"}).err, HasSubstr("0 rows removed from 0 files"));
  EXPECT_EQ(read_file(file), before);
  const Finished again = run({out_flag(), "--problem=relu/1x8", "--problem=relu/2x8"});
  EXPECT_THAT(again.err, HasSubstr("8 variants: 4 measured before"));
}

TEST_F(Forget, OtherPrecisionsAndConditionsStay) {
  run({out_flag(), "--problem=relu/1x8", "--precision=fp32,fp16"});
  run({out_flag(), "--problem=relu/1x8", "--precision=fp32", "--cold"});
  const std::size_t all = names().size();
  forget({"--problem=relu/1x8", "--precision=fp32"});
  EXPECT_LT(names().size(), all);
  EXPECT_THAT(names(), Each(testing::AnyOf(HasSubstr("/fp16/"), EndsWith("/cold"))));
}

TEST_F(Forget, TheContextKeepsThePeaks) {
  measure_both();
  auto changed = nlohmann::ordered_json::parse(read_file(file));
  changed["context"]["peak_fp32_flops_per_second"] = 5e9;
  write_file(file, changed.dump());
  forget({"--problem=relu/1x8"});
  EXPECT_EQ(document()["context"]["peak_fp32_flops_per_second"], 5e9);
}

TEST_F(Forget, AFileThatHasNothingElseIsRemoved) {
  run({out_flag(), "--problem=relu/1x8"});
  forget({"--problem=relu/1x8"});
  EXPECT_EQ(folder.entries(), 0);
}

// What an interrupted run has left must not come back with the next one.
TEST_F(Forget, RowsInAJournalAreRemovedToo) {
  Program program(held_after(2, {out_flag(), "--problem=relu/1x8", "--problem=relu/2x8"}));
  await_gate();
  program.send(SIGKILL);
  program.wait();
  ASSERT_EQ(rows_in_journal(), 2);
  forget({"--problem=relu/1x8", "--problem=relu/2x8"});
  EXPECT_EQ(folder.entries(), 0);
}

TEST_F(Forget, AFileOfAnotherSystemIsMovedAside) {
  measure_both();
  const std::string before = read_file(file);
  for (const char* const name : {"r.json.aside", "r.json.aside2"}) {
    const Finished done =
        run_program({.arguments = {"--problem=relu/1x8", "--forget=" + folder.path().string()},
                     .environment = {{"FAKE_THREADS", "8"}}});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, AllOf(HasSubstr("r.json: measured with threads = \"1\", now it is \"8\""),
                                HasSubstr("it is now "), HasSubstr(name)));
    EXPECT_EQ(read_file(folder / name), before);
    EXPECT_FALSE(std::filesystem::exists(file));
    write_file(file, before);
  }
}

TEST_F(Forget, ADamagedFileIsMovedAside) {
  write_file(file, "{");
  EXPECT_THAT(forget({"--problem=relu/1x8"}).err, HasSubstr("is not a results file"));
  EXPECT_EQ(read_file(folder / "r.json.aside"), "{");
}

TEST_F(Forget, AFileThatIsBeingWrittenIsAnError) {
  Program first(held_after(0, {out_flag(), "--problem=relu/1x8"}));
  await_gate();
  expect_error(forget({"--problem=relu/1x8"}), "another process");
  first.send(SIGKILL);
}

TEST_F(Forget, WhereNothingWasMeasuredNothingHappens) {
  EXPECT_THAT(run({"--forget=" + (folder / "none").string()}).err, HasSubstr("0 rows removed"));
}

}  // namespace
}  // namespace benanza::harness
