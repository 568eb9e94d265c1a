#include "analysis/regress/model_gate.h"

#include <gmock/gmock.h>

#include "analysis/regress/report.h"
#include "analysis/tests/build.h"

namespace benanza::regress {
namespace {

using test::us;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Two layers of 10 and 990 us, and for the first another call of 50 us.
struct ModelGateCase {
  Graph graph{.model = "net",
              .batch = 8,
              .layers = {test::layer("small", {}), test::layer("large", {0})},
              .fusions = {{.pattern = "slow", .layers = {0}, .problem = "relu/unused"}}};
  RowsOfRound first;
  GateAnswer answer;

  ModelGateCase() {
    for (const auto& [name, seconds] : {std::pair{"small", 10 * us}, std::pair{"large", 990 * us},
                                        std::pair{"unused", 50 * us}}) {
      first.before.push_back(row(name, seconds));
      first.after.push_back(row(name, seconds));
    }
  }
  static Row row(const std::string& name, double seconds) {
    return {.variant = parse_variant_name("relu/" + name + "/fp32/nchw/fake/jit"),
            .samples = {seconds}};
  }
  void judge(const std::string& name, Verdict verdict, std::optional<double> ratio) {
    const VariantName variant = row(name, us).variant;
    answer.judged.push_back({.unit = unit_name(variant, Unit::choice),
                             .verdict = verdict,
                             .ratio = ratio,
                             .before = {.visits = {us}, .variant = variant},
                             .after = {.visits = {us}, .variant = variant}});
  }
  OfModels weigh() { return regress::weigh({graph}, first, Unit::choice, answer); }
};

const GateOptions options{.tolerance = 0.03};
const Reproducer again = [](const Judged&) { return "run it"; };

TEST(ModelGate, ASmallLayerDoesNotCloseIt) {
  ModelGateCase given;
  given.judge("small", Verdict::kernel, 1.5);
  const OfModels models = given.weigh();
  ASSERT_THAT(models.gates, SizeIs(1));
  EXPECT_EQ(models.gates[0].model, "net, batch 8, fp32");
  EXPECT_THAT(models.gates[0].verdict.slower, ElementsAre(0));
  // 5 us of 1 ms.
  EXPECT_NEAR(models.gates[0].verdict.slower_share(), 0.005, 1e-9);
  EXPECT_FALSE(models.close(given.answer, options));
  EXPECT_TRUE(OfModels().close(given.answer, options));
  EXPECT_THAT(
      github_annotations("fake", given.answer, options, models),
      AllOf(HasSubstr("::warning"), HasSubstr("net, batch 8: small"), Not(HasSubstr("::error"))));
  EXPECT_THAT(junit_suite("fake", given.answer, options, again, models),
              HasSubstr("failures=\"0\""));
}

TEST(ModelGate, ALargeLayerClosesItAndIsNamedFirst) {
  ModelGateCase given;
  given.judge("large", Verdict::heuristic, 1.1);
  const OfModels models = given.weigh();
  EXPECT_TRUE(models.close(given.answer, options));
  const analysis::Page page{.command = "regress",
                            .sections = {gate_section(given.answer, options, again, models)}};
  EXPECT_THAT(
      page_text(page, "table", 100),
      testing::StartsWith("  net, batch 8, fp32: LBL 9.9% higher; 1 of 2 layers is slower, by "
                          "0.099 ms in all, 9.9% of the bound: more than the tolerance of 3%\n"));
  EXPECT_THAT(
      github_annotations("fake", given.answer, options, models),
      testing::StartsWith("::error title=benanza-regress%2C fake::net, batch 8, fp32: LBL 9.9%25"));
  // The model, and the call.
  EXPECT_THAT(junit_suite("fake", given.answer, options, again, models),
              HasSubstr("failures=\"2\""));
}

TEST(ModelGate, WhatNoBoundUsesIsLeftOut) {
  ModelGateCase given;
  given.judge("unused", Verdict::kernel, 3);
  const OfModels models = given.weigh();
  EXPECT_EQ(models.unused, 1U);
  EXPECT_THAT(given.answer.judged, testing::IsEmpty());
  EXPECT_FALSE(models.close(given.answer, options));
}

TEST(ModelGate, ALostCallClosesItUnlessAnotherDoesTheLayer) {
  ModelGateCase given;
  given.judge("small", Verdict::lost, std::nullopt);
  given.first.after[0].status = Status::unsupported;
  given.first.after[0].samples.clear();
  EXPECT_FALSE(ModelGateCase(given).weigh().close(given.answer, options));
  given.graph.fusions.clear();
  const OfModels models = given.weigh();
  EXPECT_THAT(models.gates[0].verdict.lost, ElementsAre(0));
  EXPECT_TRUE(models.close(given.answer, options));
}

}  // namespace
}  // namespace benanza::regress
