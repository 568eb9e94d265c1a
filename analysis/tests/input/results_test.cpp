#include <gmock/gmock.h>

#include "analysis/input/database.h"
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
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string relu_name = "relu/1x8/fp32/nchw/onednn/jit";

TEST(ReadResults, ReadsNamesSamplesAndSystem) {
  const Folder folder;
  const auto file = folder.write("r.json", results_text(row(relu_name, "[1e-6, 2e-6, 4e-6]")));
  const Results results = read_results({file});
  ASSERT_THAT(results.measurements.find("relu/1x8"), SizeIs(1));
  const Measurement& measurement = results.measurements.find("relu/1x8")[0];
  EXPECT_EQ(to_string(measurement.variant), relu_name);
  EXPECT_THAT(measurement.repetition_seconds, ElementsAre(2e-6));
  EXPECT_DOUBLE_EQ(measurement.seconds(), 2e-6);
  EXPECT_EQ(results.systems.at("onednn").at("threads"), "2");
}

TEST(ReadResults, WithoutSamplesTakesTheMedianInItsUnit) {
  const Folder folder;
  const auto with_unit = [&](const std::string& unit) {
    const auto file = folder.write(
        "r.json",
        results_text(R"({"name": ")" + relu_name +
                     R"(", "status": "ok", "real_time": 7.0, "time_unit": ")" + unit + "\"}"));
    return read_results({file}).measurements.find("relu/1x8")[0].seconds();
  };
  EXPECT_DOUBLE_EQ(with_unit("ns"), 7e-9);
  EXPECT_DOUBLE_EQ(with_unit("us"), 7e-6);
  EXPECT_DOUBLE_EQ(with_unit("ms"), 7e-3);
  EXPECT_DOUBLE_EQ(with_unit("s"), 7);
  EXPECT_THAT(error_of([&] { with_unit("min"); }), HasSubstr("min"));
}

TEST(ReadResults, RepetitionsAndFilesOfOneSystemJoin) {
  const Folder folder;
  folder.write("a.json",
               results_text(row(relu_name, "[1e-6]") + "," + row(relu_name, "[3e-6, 5e-6]")));
  folder.write("deeper/b.json", results_text(row(relu_name, "[2e-6, 4e-6]")));
  const Results results = read_results({folder.path()});
  // A median for each row; of three values, the trimmed mean is the middle one.
  EXPECT_THAT(results.measurements.find("relu/1x8")[0].repetition_seconds,
              ElementsAre(1e-6, DoubleEq(4e-6), DoubleEq(3e-6)));
  EXPECT_DOUBLE_EQ(results.measurements.find("relu/1x8")[0].seconds(), 8e-6 / 3);
}

TEST(ReadResults, AFileNamedTwiceCountsOnce) {
  const Folder folder;
  const auto file = folder.write("a.json", results_text(row(relu_name, "[1e-6, 2e-6]")));
  const Results results = read_results({folder.path(), file, folder.path() / "." / "a.json"});
  EXPECT_THAT(results.measurements.find("relu/1x8")[0].repetition_seconds, SizeIs(1));
}

TEST(ReadResults, ARowThatSeveralSourcesHoldCountsOnce) {
  const Folder folder;
  const auto shard = folder.write("a.json", results_text(row(relu_name, "[1e-6, 2e-6, 4e-6]")));
  const auto copy = folder.write("b.json", results_text(row(relu_name, "[1e-6, 2e-6, 4e-6]")));
  const auto again = folder.write("c.json", results_text(row(relu_name, "[1e-6, 2e-6, 8e-6]")));
  import_results(folder / "r.db", {shard});
  const auto repetitions = [&](const std::vector<std::filesystem::path>& paths) {
    return read_results(paths).measurements.find("relu/1x8")[0].repetition_seconds.size();
  };
  EXPECT_EQ(repetitions({shard, copy}), 1U);
  EXPECT_EQ(repetitions({shard, folder / "r.db"}), 1U);
  // A second measurement is a repetition.
  EXPECT_EQ(repetitions({shard, again}), 2U);
}

// Two measurements never agree in every sample: the file was joined with itself.
TEST(ReadResults, ARowThatOneFileHoldsTwiceCountsOnceAndIsNamed) {
  const Folder folder;
  const std::string rows =
      row(relu_name, "[1e-6, 2e-6, 4e-6]") + "," + row(relu_name, "[1e-6, 2e-6, 8e-6]");
  const auto once = folder.write("once.json", results_text(rows));
  const auto twice = folder.write("twice.json", results_text(rows + "," + rows));
  const Results results = read_results({twice});
  EXPECT_THAT(results.measurements.find("relu/1x8")[0].repetition_seconds, SizeIs(2));
  EXPECT_EQ(results.doubled, twice.string() + ": 2 rows, as " + relu_name +
                                 ", are there more than once and count once");
  EXPECT_EQ(read_results({once}).doubled, "");
  // Of two files with the same rows, nothing is said: shards and databases overlap.
  EXPECT_EQ(read_results({once, folder.write("copy.json", results_text(rows))}).doubled, "");
}

// Of one sample each, as other programs write them: rounded times may be equal.
TEST(ReadResults, EqualTimesOfTwoRepetitionsAreTwo) {
  const Folder folder;
  const std::string first = row(relu_name, "[1e-6]");
  std::string second = first;
  const std::string index = "\"repetition_index\": 0";
  second.replace(second.find(index), index.size(), "\"repetition_index\": 1");
  const auto repetitions = [&](const std::string& rows) {
    const auto file = folder.write("a.json", results_text(rows));
    return read_results({file}).measurements.find("relu/1x8")[0].repetition_seconds.size();
  };
  EXPECT_EQ(repetitions(first + "," + second), 2U);
  // Nobody numbered them.
  EXPECT_EQ(repetitions(first + "," + first), 2U);
  // Numbered, and joined with itself.
  EXPECT_EQ(repetitions(first + "," + second + "," + first + "," + second), 2U);
  EXPECT_EQ(repetitions(first + "," + first + "," + second + "," + second), 2U);
}

TEST(ReadResults, AggregatesAreNoMeasurements) {
  const Folder folder;
  const auto file =
      folder.write("a.json", results_text(row(relu_name, "[1e-6]") + R"(, {"name": "relu/1x8_mean",
      "run_type": "aggregate", "aggregate_name": "mean", "real_time": 5})"));
  EXPECT_EQ(read_results({file}).measurements.size(), 1);
}

TEST(ReadResults, RowsThatAreNotOkKeepTheirReasonAndHaveNoTime) {
  const Folder folder;
  const auto file = folder.write("a.json", results_text(R"({"name": ")" + relu_name + R"(",
      "status": "incorrect", "reason": "element 3", "real_time": 0, "time_unit": "us",
      "error_occurred": true, "error_message": "incorrect: element 3"})"));
  const Results results = read_results({file});
  const Measurement& measurement = results.measurements.find("relu/1x8")[0];
  EXPECT_EQ(measurement.status, Status::incorrect);
  EXPECT_EQ(measurement.reason, "element 3");
  EXPECT_THAT(measurement.repetition_seconds, IsEmpty());
}

TEST(ReadResults, OfASuiteThatRunsComeFromItsJournal) {
  const Folder folder;
  folder.write("a.json", results_text(row(relu_name, "[1e-6]")));
  folder.write("a.json.journal", "{half a line");
  EXPECT_EQ(read_results({folder.path()}).measurements.size(), 1);
  const std::string origin =
      R"({"schema":1,"backend":"onednn","system":{"threads":"2","cpu_model":"a CPU"}})";
  folder.write("b.json.journal",
               origin + '\n' +
                   row_text({.variant = parse_variant_name("relu/1x9/fp32/nchw/onednn/jit"),
                             .samples = {2e-6}}) +
                   '\n');
  const Results results = read_results({folder.path()});
  EXPECT_EQ(results.measurements.size(), 2);
  EXPECT_THAT(results.measurements.find("relu/1x9")[0].repetition_seconds, ElementsAre(2e-6));
}

TEST(ReadResults, AModelBesideIsNotRead) {
  const Folder folder;
  folder.write("run.graph.json", "{}");
  EXPECT_THAT(error_of([&] { read_results({folder.path()}); }), HasSubstr("run the benchmarks"));
  folder.write("a.json", results_text(row(relu_name, "[1e-6]")));
  EXPECT_EQ(read_results({folder.path()}).measurements.size(), 1);
  EXPECT_THAT(error_of([&] { read_results({folder.path() / "run.graph.json"}); }),
              HasSubstr("run.graph.json"));
}

TEST(ReadResults, OtherSystemsMayNotBeMixed) {
  const Folder folder;
  const auto two = folder.write("two.json", results_text(row(relu_name, "[1e-6]"), "2"));
  const auto four = folder.write("four.json", results_text(row(relu_name, "[1e-6]"), "4"));
  EXPECT_THAT(error_of([&] { read_results({folder.path()}); }),
              AllOf(HasSubstr(two.string()), HasSubstr(four.string()),
                    HasSubstr("threads is \"4\" and \"2\""), Not(HasSubstr("\n"))));
}

TEST(ReadResults, BackendsHaveSystemsOfTheirOwn) {
  const Folder folder;
  folder.write("a.json", results_text(row(relu_name, "[1e-6]"), "2", "onednn"));
  folder.write("b.json",
               results_text(row("relu/1x8/fp32/nchw/cudnn/relu", "[1e-6]"), "1", "cudnn"));
  EXPECT_THAT(read_results({folder.path()}).systems, SizeIs(2));
}

TEST(ReadResults, NoTimeIsAnError) {
  const Folder folder;
  for (const char* samples : {"[0.0]", "[-1e-6]"}) {
    const auto file = folder.write("a.json", results_text(row(relu_name, samples)));
    EXPECT_THAT(error_of([&] { read_results({file}); }), HasSubstr(relu_name)) << samples;
  }
}

struct Bad {
  const char* what;
  std::string text;
  const char* says;
};

class BadResults : public testing::TestWithParam<Bad> {};

TEST_P(BadResults, IsOneLineThatNamesTheFile) {
  const Folder folder;
  const auto file = folder.write("bad.json", GetParam().text);
  EXPECT_THAT(
      error_of([&] { read_results({file}); }),
      AllOf(HasSubstr(file.string() + ": "), HasSubstr(GetParam().says), Not(HasSubstr("\n"))));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

const std::string good = results_text(row(relu_name, "[1e-6]"));

INSTANTIATE_TEST_SUITE_P(
    Files, BadResults,
    testing::Values(Bad{"empty", "", "empty"}, Bad{"cut", good.substr(0, 200), "cut short"},
                    Bad{"bytes", "\x89PNG\r\n\x1a", "not JSON"},
                    Bad{"array", "[1]", "results file"},
                    Bad{"foreign", R"({"context": {}, "benchmarks": []})", "benanza suite"},
                    Bad{"schema", replaced(good, "\"schema\": 1", "\"schema\": 2"), "schema 2"},
                    Bad{"no_schema", replaced(good, "\"schema\": 1,", ""), "schema"},
                    Bad{"no_rows", replaced(good, "benchmarks", "bench"), "benchmarks"},
                    Bad{"status", replaced(good, "\"ok\"", "\"fine\""), "fine"},
                    Bad{"name", replaced(good, "fp32", "fp31"), "fp31"},
                    Bad{"endless", replaced(good, "[1e-6]", "[1e300]"), "a time of 1e+300 s"},
                    Bad{"negative", replaced(good, "[1e-6]", "[-1e-6]"), "a time of -1e-06 s"},
                    Bad{"type", replaced(good, "[1e-6]", "\"fast\""), "results file"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(ReadResults, AMissingFileAndAFolderWithoutResultsAreErrors) {
  const Folder folder;
  EXPECT_THAT(error_of([&] { read_results({folder.path() / "none.json"}); }),
              HasSubstr("none.json"));
  EXPECT_THAT(error_of([&] { read_results({folder.path()}); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("run the benchmarks")));
}

}  // namespace
}  // namespace benanza::analysis
