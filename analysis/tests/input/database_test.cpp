#include "analysis/input/database.h"

#include <gmock/gmock.h>

#include "analysis/input/results.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::contents;
using test::error_of;
using test::Folder;
using test::results_text;
using test::row;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;
using testing::SizeIs;

const std::string relu = "relu/1x8/fp32/nchw/onednn/jit";
const std::string wide = "relu/1x16/fp32/nchw/onednn/jit";

/// A convolution as the cuDNN suite writes it.
const std::string conv_row =
    R"({"name": "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1/fp16/nhwc/cudnn/implicit_gemm",
"run_type": "iteration", "repetition_index": 2, "iterations": 12, "real_time": 2.0,
"cpu_time": 2.0, "time_unit": "us", "status": "ok", "FLOP/s": 5e9, "FLOPs": 10000, "bytes": 77,
"workspace_bytes": 4096, "heuristic_rank": 3.0, "tensor_core_by_name": true,
"tensor_core_claimed": false, "kernel_names": "a \"b\"", "stopped_by": "budget",
"samples": [1e-6, 2e-6, 3e-6]})";

std::string samples_of(const Results& results, const std::string& key) {
  std::string text;
  for (const Measurement& measurement : results.measurements.find(key)) {
    text += to_string(measurement.variant) + ":";
    for (const double seconds : measurement.repetition_seconds) {
      text += ' ' + std::to_string(seconds * 1e6);
    }
    text += '\n';
  }
  return text;
}

class ResultsDatabase : public testing::Test {
 protected:
  ImportCount import(const std::vector<std::filesystem::path>& files) const {
    return import_results(database_, files);
  }
  const Folder folder_;
  const std::filesystem::path database_ = folder_.path() / "results.db";
};

TEST_F(ResultsDatabase, AnswersAsTheFilesDo) {
  const auto a =
      folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(relu, "[3e-6, 5e-6]") +
                                           "," + row(wide, "[7e-6]")));
  const auto b = folder_.write("b.json", results_text(row(relu, "[2e-6, 4e-6]")));
  EXPECT_EQ(import({a, b}).added, 4);
  const Results files = read_results({a, b});
  const Results database = read_results({database_});
  EXPECT_EQ(samples_of(database, "relu/1x8"), samples_of(files, "relu/1x8"));
  EXPECT_EQ(samples_of(database, "relu/1x16"), samples_of(files, "relu/1x16"));
  EXPECT_EQ(database.systems, files.systems);
}

TEST_F(ResultsDatabase, ReadsOnlyTheProblemsThatAreWanted) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(wide, "[7e-6]")))});
  const Results results = read_results({database_}, KeySet{"relu/1x16", "relu/none"});
  EXPECT_EQ(results.measurements.size(), 1);
  EXPECT_THAT(results.measurements.find("relu/1x16"), SizeIs(1));
  EXPECT_THAT(results.systems, SizeIs(1));
}

TEST_F(ResultsDatabase, ImportingTwiceChangesNothing) {
  const auto file =
      folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(relu, "[2e-6]")));
  import({file});
  const std::string before = contents(database_);
  const ImportCount again = import({file});
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(again.known, 2);
  EXPECT_EQ(contents(database_), before);
}

TEST_F(ResultsDatabase, RowsOfOneHashAreAllKept) {
  const auto file =
      folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(relu, "[2e-6]") + "," +
                                           row("relu/1x8/fp32/nchw/onednn/other", "[3e-6]")));
  const RowHash same_for_all = [](const Row&) { return std::int64_t{-1}; };
  EXPECT_EQ(import_results(database_, {file}, same_for_all).added, 3);
  const ImportCount again = import_results(database_, {file}, same_for_all);
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(again.known, 3);
  EXPECT_EQ(samples_of(read_results({database_}), "relu/1x8"),
            samples_of(read_results({file}), "relu/1x8"));
}

TEST_F(ResultsDatabase, AGrownFileAddsOnlyItsNewRows) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]")))});
  const ImportCount grown = import(
      {folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(wide, "[2e-6]")))});
  EXPECT_EQ(grown.added, 1);
  EXPECT_EQ(grown.known, 1);
}

TEST_F(ResultsDatabase, KeepsWhatTheAnalysisReads) {
  import({folder_.write("a.json", results_text(conv_row, "1", "cudnn"))});
  const Results results = read_results({database_});
  const auto found = results.measurements.find("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].workspace_bytes, Optional(4096));
  EXPECT_THAT(found[0].heuristic_rank, Optional(3));
  // The kernels' names take precedence over the library's claim.
  EXPECT_THAT(found[0].tensor_cores, Optional(true));
  EXPECT_THAT(found[0].repetition_seconds, ElementsAre(2e-6));
}

TEST_F(ResultsDatabase, UnknownStaysUnknown) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]")))});
  const Results results = read_results({database_});
  const Measurement& found = results.measurements.find("relu/1x8")[0];
  EXPECT_EQ(found.workspace_bytes, std::nullopt);
  EXPECT_EQ(found.heuristic_rank, std::nullopt);
  EXPECT_EQ(found.tensor_cores, std::nullopt);
}

TEST_F(ResultsDatabase, ReasonsAreKept) {
  import({folder_.write("a.json", results_text(R"({"name": ")" + relu + R"(",
      "status": "unsupported", "reason": "no \"luck\"", "real_time": 0, "time_unit": "us",
      "error_occurred": true, "error_message": "unsupported: no luck"})"))});
  const Results results = read_results({database_});
  ASSERT_THAT(results.measurements.find("relu/1x8"), SizeIs(1));
  const Measurement& found = results.measurements.find("relu/1x8")[0];
  EXPECT_EQ(found.status, Status::unsupported);
  EXPECT_EQ(found.reason, "no \"luck\"");
  EXPECT_THAT(found.repetition_seconds, IsEmpty());
}

TEST_F(ResultsDatabase, SystemsMayNotBeMixed) {
  import({folder_.write("two.json", results_text(row(relu, "[1e-6]"), "2"))});
  const std::string before = contents(database_);
  const auto four = folder_.write("four.json", results_text(row(wide, "[1e-6]"), "4"));
  EXPECT_THAT(error_of([&] { import({four}); }),
              AllOf(HasSubstr(database_.string()), HasSubstr(four.string()),
                    HasSubstr("threads is \"2\" and \"4\""), Not(HasSubstr("\n"))));
  EXPECT_EQ(contents(database_), before);
  // Nor can a database and such a file be read together.
  EXPECT_THAT(error_of([&] { read_results({database_, four}); }), HasSubstr("threads"));
}

TEST_F(ResultsDatabase, BackendsHaveSystemsOfTheirOwn) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]"), "2", "onednn")),
          folder_.write("b.json", results_text(conv_row, "1", "cudnn"))});
  EXPECT_THAT(Database(database_).origins(), SizeIs(2));
  EXPECT_THAT(
      error_of([&] { import({folder_.write("c.json", results_text(conv_row, "2", "onednn"))}); }),
      HasSubstr("another backend"));
}

TEST_F(ResultsDatabase, AFailedImportLeavesItAsItWas) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]")))});
  const std::string before = contents(database_);
  const auto good = folder_.write("good.json", results_text(row(wide, "[1e-6]")));
  std::string text = results_text(row(wide, "[5e-6]") + "," + row(relu, "[6e-6]"));
  const auto cut = folder_.write("cut.json", text.substr(0, text.size() - 20));
  EXPECT_THAT(error_of([&] {
                import({good, cut});
              }),
              AllOf(HasSubstr(cut.string()), HasSubstr("cut short")));
  EXPECT_EQ(contents(database_), before);
}

TEST_F(ResultsDatabase, AFailedFirstImportLeavesNothing) {
  const auto bad = folder_.write("bad.json", "{");
  EXPECT_NE(error_of([&] { import({bad}); }), "");
  EXPECT_FALSE(std::filesystem::exists(database_));
}

TEST_F(ResultsDatabase, ExportedResultsMakeAnEqualDatabase) {
  import({folder_.write("a.json",
                        results_text(row(relu, "[1.25e-6, 2e-6]") + "," + row(wide, "[0.1e-6]"))),
          folder_.write("b.json", results_text(conv_row, "1", "cudnn"))});
  Database database(database_);
  const auto files = export_results(database, folder_.path() / "out");
  ASSERT_THAT(files, SizeIs(2));
  const ImportCount same = import(files);
  EXPECT_EQ(same.added, 0);
  EXPECT_EQ(same.known, 3);
  EXPECT_THAT(contents(files[0]),
              AllOf(HasSubstr("\"kernel_names\":\"a \\\"b\\\"\""),
                    HasSubstr("\"tensor_core_claimed\":false"), HasSubstr("\"heuristic_rank\":3")));
}

TEST_F(ResultsDatabase, KeepsPeaksAndAnchors) {
  std::string text = results_text(row(relu, "[1e-6]"));
  text.insert(text.find("\"num_cpus\""),
              R"("peak_bytes_per_second": 3e12, "anchor_copy_seconds": "2e-3 2.5e-3", )");
  const auto file = folder_.write("a.json", text);
  import({file});
  import({file});
  const auto expect_both = [](const Results& results) {
    EXPECT_THAT(results.peaks.at("onednn"),
                ElementsAre(testing::Pair("peak_bytes_per_second", 3e12)));
    EXPECT_THAT(results.anchors.at("onednn"),
                ElementsAre(testing::Pair("copy", ElementsAre(0.002, 0.0025))));
  };
  expect_both(read_results({database_}));
  expect_both(read_results({database_, file}));
  Database database(database_);
  expect_both(read_results(export_results(database, folder_.path() / "out")));
}

TEST_F(ResultsDatabase, TalliesCountRowsByOutcome) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]") + "," + row(wide, "[2e-6]") +
                                               R"(, {"name": "relu/1x16/fp32/nchw/onednn/ref",
      "status": "failed", "reason": "?"})"))});
  const auto tallies = Database(database_).tallies();
  ASSERT_THAT(tallies, SizeIs(1));
  EXPECT_EQ(tallies[0].layout, "nchw");
  EXPECT_EQ(tallies[0].problems, 2);
  EXPECT_EQ(tallies[0].rows, 3);
  EXPECT_EQ(tallies[0].by_status.at(Status::ok), 2);
  EXPECT_EQ(tallies[0].by_status.at(Status::failed), 1);
}

TEST_F(ResultsDatabase, OtherFilesAreNone) {
  const auto text = folder_.write("text.db", "not a database, but long enough to be read as one");
  EXPECT_THAT(error_of([&] { Database database(text); }), HasSubstr("is not a database"));
  EXPECT_THAT(error_of([&] { Database database(folder_.path() / "none.db"); }),
              HasSubstr("there is no such database"));
  EXPECT_THAT(error_of([&] { Database database(folder_.path()); }), HasSubstr("folder"));
  EXPECT_THAT(error_of([&] { import_results(text, {}); }), HasSubstr("is not a database"));
  const auto other = folder_.path() / "other.db";
  sqlite::Connection(other, sqlite::Connection::Mode::write).execute("CREATE TABLE t(x)");
  EXPECT_THAT(error_of([&] { Database database(other); }), HasSubstr("another program"));
  EXPECT_THAT(error_of([&] { import_results(other, {}); }), HasSubstr("another program"));
}

TEST_F(ResultsDatabase, ADamagedOneIsOneLine) {
  import({folder_.write("a.json", results_text(row(relu, "[1e-6]")))});
  const std::string text = contents(database_);
  folder_.write("results.db", text.substr(0, text.size() / 2));
  EXPECT_THAT(error_of([&] { read_results({database_}); }),
              AllOf(HasSubstr(database_.string()), HasSubstr("damaged"), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace benanza::analysis
