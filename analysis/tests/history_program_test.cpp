// benanza-analyze history, run as a user does.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::contents;
using test::expect_error;
using test::Outcome;
using test::results_text;
using test::row;
using testing::AllOf;
using testing::HasSubstr;

class HistoryProgram : public test::SmallModel {
 protected:
  /// Five repetitions each, with a relative spread of a thousandth: `convolution` for convolutions,
  /// `seconds` for everything else.
  std::string results(const std::string& name, double seconds, double convolution) const {
    const std::string all = rows([&](const std::string& key) {
      const double time = key.starts_with("conv/") ? convolution : seconds;
      std::vector<double> repetitions;
      for (int i = -2; i <= 2; ++i) repetitions.push_back(time * (1 + 0.0005 * i));
      return repetitions;
    });
    return folder_.write(name, results_text(all)).string();
  }
};

TEST_F(HistoryProgram, SaysWithWhichVersionAProblemChanged) {
  const std::string all = results("one.json", 0.01, 0.01) + ' ' + results("two.json", 0.01, 0.01) +
                          ' ' + results("three.json", 0.01, 0.03);
  const Outcome outcome = run("history " + all + " --graph " + graph_ + " --format json --junit " +
                              path("h.xml") + " --html " + path("h.html"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  const json& stations = answer["reports"][0]["stations"];
  ASSERT_EQ(stations.size(), 3U);
  EXPECT_TRUE(stations[0]["slower"].is_null()) << "the first has none before it";
  EXPECT_EQ(stations[1]["slower"], 0);
  const std::size_t slower = stations[2]["slower"];
  EXPECT_GT(slower, 0U);
  const json& bounds = answer["reports"][1]["bounds"];
  EXPECT_DOUBLE_EQ(bounds[1]["ratio"], 1);
  EXPECT_GT(bounds[2]["ratio"].get<double>(), 1);
  const json& changes = answer["reports"][2]["changes"];
  ASSERT_EQ(changes.size(), slower);
  EXPECT_NEAR(changes[0]["ratio"].get<double>(), 3, 1e-9);
  EXPECT_THAT(changes[0]["results"].get<std::string>(), HasSubstr("three.json"));
  const std::string xml = contents(path("h.xml"));
  EXPECT_THAT(xml, AllOf(HasSubstr("failures=\"" + std::to_string(slower) + '"'),
                         HasSubstr("takes 3.000 times as long as with two.json")));
  EXPECT_THAT(contents(path("h.html")), HasSubstr("<svg"));
  expect_error({.arguments = "--fail",
                .status = run("history " + all + " --fail").status,
                .out = "",
                .err = run("history " + all + " --fail").err},
               "changes for the worse");
}

TEST_F(HistoryProgram, ABoundOfNothingIsNotZero) {
  const std::string both = results("one.json", 0.01, 0.01) + ' ' + results("two.json", 0.01, 0.01);
  const Outcome outcome =
      run("history " + both + " --graph " + graph_ + " --precision fp16 --format json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json model = json::parse(outcome.out)["reports"][1];
  EXPECT_EQ(model["partial"], true);
  for (const json& bound : model["bounds"]) {
    EXPECT_TRUE(bound["sequential_seconds"].is_null());
    EXPECT_TRUE(bound["parallel_seconds"].is_null());
    EXPECT_TRUE(bound["ratio"].is_null());
  }
}

TEST_F(HistoryProgram, ComparesMachinesWithTheirPeers) {
  const auto machine = [&](const std::string& name, int calls, const std::string& seconds) {
    std::string rows;
    for (int i = 1; i <= calls; ++i) {
      rows += (i == 1 ? "" : ",\n") +
              row("relu/" + std::to_string(i) + "/fp32/plain/onednn/a", '[' + seconds + ']');
    }
    return folder_.write(name, results_text(rows)).string();
  };
  const auto fleet = [&](int calls) {
    return run("history --fleet --tolerance 3 " + machine("a.json", calls, "0.01") + ' ' +
               machine("b.json", calls, "0.01") + ' ' + machine("c.json", calls, "0.0106"));
  };
  const Outcome outcome = fleet(20);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("6.0% slower than its peers"), HasSubstr("as fast as its peers")));
  // Nineteen calls are too few to judge a machine.
  EXPECT_THAT(fleet(19).out, HasSubstr("too few calls in common"));
}

TEST_F(HistoryProgram, NeedsTwoSetsOfResults) {
  expect_error(run("history " + results("one.json", 0.01, 0.01)), "two sets of results");
  expect_error(run("history " + path("none.json") + ' ' + path("no.json")), "none.json");
}

}  // namespace
}  // namespace benanza::analysis
