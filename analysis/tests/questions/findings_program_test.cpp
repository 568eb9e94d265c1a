// benanza-analyze bound, findings and report: the answer begins with what to do.
#include <nlohmann/json.hpp>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::contents;
using test::data;
using test::Outcome;
using test::results_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FindingsProgram : public test::SmallModel {
 protected:
  /// 10 us for every call, and 5 for those of `fast`; a processor's run takes 4.53 ms beside these
  /// calls' 0.19.
  std::string arguments(const std::string& fast = "") const {
    const std::string text = rows([&](const std::string& key) {
      return std::vector<double>(3, !fast.empty() && key.starts_with(fast) ? 5e-6 : 1e-5);
    });
    return " --allow-missing --graph " + graph_ + " --results " +
           folder_.write("r.json", results_text(text)).string() + " --profile " +
           data("small.onnxruntime.json").string();
  }
};

TEST_F(FindingsProgram, BoundBeginsWithThem) {
  const Outcome outcome = run("bound" + arguments());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto first = outcome.out.find("What would help most");
  ASSERT_NE(first, std::string::npos) << outcome.out;
  EXPECT_LT(first, outcome.out.find("LBL sequential"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  1. "));
}

TEST_F(FindingsProgram, AreAListForPrograms) {
  for (const std::string question : {"bound", "findings"}) {
    const Outcome outcome = run(question + arguments() + " --format json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json findings = json::parse(outcome.out)["reports"][0]["findings"];
    ASSERT_TRUE(findings.is_array());
    ASSERT_FALSE(findings.empty());
    for (const char* const member : {"cause", "what", "gain_seconds", "gain_interval_seconds",
                                     "certainty", "share", "layers", "action", "command"}) {
      EXPECT_TRUE(findings[0].contains(member)) << member;
    }
    EXPECT_THAT(findings[0]["command"].get<std::string>(), Not(HasSubstr("MODEL.graph.json")));
  }
}

TEST_F(FindingsProgram, OfARunNameItsProfile) {
  const Outcome outcome = run("findings" + arguments());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of ONNX Runtime's latency"));
}

TEST_F(FindingsProgram, AreANumberedListInMarkdown) {
  const Outcome outcome = run("findings" + arguments() + " --format markdown");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("**What would help most**"), HasSubstr("\n1. **")));
}

TEST_F(FindingsProgram, ReportBeginsWithThem) {
  const std::string page = path("page.html");
  const Outcome outcome = run("report" + arguments() + " --out " + page);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string html = contents(page);
  EXPECT_THAT(html, HasSubstr("<h2 id=\"c0\">Findings</h2>"));
  EXPECT_LT(html.find("<ol>"), html.find("Overview</h2>"));
}

TEST_F(FindingsProgram, ReportOfSeveralModelsNamesThem) {
  const std::string page = path("page.html");
  const Outcome outcome = run("report" + arguments() + " --graph " + graph_ + " --out " + page);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(contents(page), HasSubstr("What would help most, of each model"));
}

TEST_F(FindingsProgram, ColdCallsHaveNone) {
  const Outcome outcome = run("bound" + arguments() + " --cold");
  EXPECT_THAT(outcome.out, Not(HasSubstr("What would help most")));
}

}  // namespace
}  // namespace benanza::analysis
