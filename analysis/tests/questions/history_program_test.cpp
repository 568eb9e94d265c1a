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
  const auto fleet = [&](int calls, const std::string& more = "") {
    return run("history --fleet --tolerance 3 " + machine("a.json", calls, "0.01") + ' ' +
               machine("b.json", calls, "0.01") + ' ' + machine("c.json", calls, "0.0106") + more);
  };
  const Outcome outcome = fleet(20);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("6.0% slower than its peers"), HasSubstr("as fast as its peers")));
  EXPECT_EQ(outcome.out.find("faster"), std::string::npos) << outcome.out;
  // Nineteen calls are too few to judge a machine.
  EXPECT_THAT(fleet(19).out, HasSubstr("too few calls in common"));
  const Outcome failed = fleet(20, " --fail --junit " + path("f.xml"));
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("1 machines are slower than their peers"));
  EXPECT_THAT(contents(path("f.xml")), AllOf(HasSubstr("tests=\"3\""), HasSubstr("failures=\"1\""),
                                             HasSubstr("6.0% slower than its peers")));
}

// Sixty calls; text, JSON, CSV and JUnit say the same of them.
class CommonSlowdown : public HistoryProgram {
 protected:
  std::string night(const std::string& name, int slower, double factor,
                    const std::string& context = "") const {
    std::string rows;
    for (int i = 1; i <= 60; ++i) {
      const double seconds = 0.1 * i * (i <= slower ? factor : 1);
      for (int r = -2; r <= 2; ++r) {
        rows += (rows.empty() ? "" : ",\n") +
                row("relu/" + std::to_string(i) + "/fp32/plain/onednn/a",
                    '[' + std::to_string(seconds * (1 + 0.001 * r)) + ']');
      }
    }
    std::string text = results_text(rows);
    text.insert(text.find("\"num_cpus\""), context);
    return folder_.write(name, text).string();
  }
};

TEST_F(CommonSlowdown, FailsInEveryFormat) {
  const std::string both = night("old.json", 0, 1) + ' ' + night("twice.json", 60, 2);
  const std::string told =
      "all 60 calls of onednn take 2.000 times as long (2.000 to 2.000); nothing in these results "
      "tells whether the library or the machine changed";
  for (const std::string question : {"history ", "compare "}) {
    const Outcome text = run(question + both + " --fail");
    EXPECT_EQ(text.status, 1);
    EXPECT_THAT(text.out, HasSubstr(told));
    const Outcome outcome = run(question + both + " --format json");
    EXPECT_EQ(outcome.status, 0);
    const json report = json::parse(outcome.out)["reports"][0];
    if (question == "compare ") {
      EXPECT_EQ(report["problems_totals"]["slower"], 60);
      EXPECT_EQ(report["problems_totals"]["faster"], 0);
      EXPECT_EQ(report["problems_totals"]["as_all_calls"], 60);
      EXPECT_EQ(report["common"][0]["verdict"], "cannot tell");
      EXPECT_NEAR(report["common"][0]["ratio"].get<double>(), 2, 1e-6);
      EXPECT_TRUE(report["common"][0]["reference"].is_null());
      EXPECT_EQ(report["drift"], 1);
      EXPECT_THAT(text.err, AllOf(HasSubstr("60 problems are slower by more than 5%"),
                                  HasSubstr("all 60 calls of onednn")));
      EXPECT_THAT(run(question + both + " --format csv").out,
                  HasSubstr("all longer (cannot tell)"));
    } else {
      EXPECT_EQ(report["stations"][1]["slower"], 60);
      EXPECT_EQ(report["stations"][1]["faster"], 0);
      EXPECT_EQ(report["stations"][1]["common_verdict"], "cannot tell");
      EXPECT_THAT(text.err, HasSubstr("1 changes for the worse"));
      EXPECT_THAT(run(question + both + " --format csv").out, HasSubstr(",cannot tell,"));
      run(question + both + " --junit " + path("h.xml"));
      EXPECT_THAT(contents(path("h.xml")), AllOf(HasSubstr("failures=\"1\""), HasSubstr(told),
                                                 HasSubstr("all calls of onednn/fp32")));
    }
  }
}

TEST_F(CommonSlowdown, HalfOfTheCallsSlowerMakesNoneFaster) {
  const std::string both = night("old.json", 0, 1) + ' ' + night("most.json", 31, 1.3);
  const json compared =
      json::parse(run("compare " + both + " --format json").out)["reports"][0]["problems_totals"];
  EXPECT_EQ(compared["slower"], 31);
  EXPECT_EQ(compared["faster"], 0);
  const Outcome history = run("history " + both + " --format json --fail");
  EXPECT_EQ(history.status, 1);
  EXPECT_EQ(json::parse(history.out)["reports"][0]["stations"][1]["slower"], 31);
  EXPECT_EQ(json::parse(history.out)["reports"][0]["stations"][1]["faster"], 0);
}

TEST_F(CommonSlowdown, AnchorsTellWhoseItIs) {
  const std::string anchors = R"("anchor_copy_seconds": "2e-3 2e-3 2e-3 2e-3 2e-3", )";
  const std::string twice = R"("anchor_copy_seconds": "4e-3 4e-3 4e-3 4e-3 4e-3", )";
  const std::string old = night("old.json", 0, 1, anchors);
  const Outcome library = run("compare --fail " + old + ' ' + night("l.json", 60, 1.05, anchors));
  EXPECT_EQ(library.status, 1);
  EXPECT_THAT(library.out, HasSubstr("not so the machine by the anchors (copy): 0.995 to 1.005; "
                                     "onednn is slower"));
  const Outcome machine = run("compare --fail " + old + ' ' + night("m.json", 60, 2, twice));
  EXPECT_EQ(machine.status, 0) << machine.err;
  EXPECT_THAT(machine.out, HasSubstr("as the machine did by the anchors (copy): 1.990 to 2.010"));
}

// Four percent each night: no neighbours differ by more than the tolerance.
TEST_F(CommonSlowdown, AddsUpOverTheWindow) {
  std::string all;
  double factor = 1;
  for (int i = 0; i < 4; ++i) {
    all += night("night" + std::to_string(i) + ".json", 60, factor) + ' ';
    factor *= 1.04;
  }
  EXPECT_EQ(run("history " + all + "--fail --window 1").status, 0);
  const Outcome outcome = run("history " + all + "--fail");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("night2.json (onednn), since night0.json (onednn): all 60 "
                                     "calls of onednn take 1.08"));
  expect_error(run("history " + all + "--window 0"), "--window");
}

TEST_F(HistoryProgram, NeedsTwoSetsOfResults) {
  expect_error(run("history " + results("one.json", 0.01, 0.01)), "two sets of results");
  expect_error(run("history " + path("none.json") + ' ' + path("no.json")), "none.json");
}

}  // namespace
}  // namespace benanza::analysis
