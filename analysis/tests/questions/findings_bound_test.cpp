// What is found of a bound alone: the gain of each kind, none within the noise, none that a plan
// contradicts.
#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/tests/questions/findings_case.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::Found;
using test::layer;
using test::measured;
using test::measured_in_one_process;
using test::product_and_relu;
using test::steady;
using test::tiny;
using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Findings, OfLayersThatOneCallDoesSayWhatItSaves) {
  const std::vector<Judged> found = product_and_relu().of("unfused layers");
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found[0].finding;
  EXPECT_NEAR(*finding.gain_seconds, 2 * us, tiny);  // 10 + 4 - 12
  EXPECT_NEAR(*found[0].share(), 2.0 / 14, 1e-9);
  EXPECT_EQ(found[0].reference.name, "the bound");
  EXPECT_EQ(finding.certainty, Certainty::measured);
  EXPECT_THAT(finding.layers, ElementsAre(0, 1));
  EXPECT_THAT(finding.what,
              HasSubstr("1 group of layers takes 0.012 ms with one call each, 0.014 ms with the "
                        "fastest calls for the separate layers: gemm_relu (1)."));
  EXPECT_THAT(finding.remedy.command, HasSubstr("benanza-analyze fusion --graph"));
  // Equal repetitions; runs differ by 0.5%.
  ASSERT_TRUE(finding.interval);
  EXPECT_NEAR(finding.interval->low, 2 * us * (1 - 1.96 * 0.005), 1e-10);
}

TEST(Findings, CommandsNameTheFilesThatWereGiven) {
  Found given = product_and_relu();
  given.inputs.graph_paths = {"g.graph.json"};
  given.inputs.asked = " --results build/results --layout any";
  EXPECT_EQ(given.of("unfused layers").at(0).finding.remedy.command,
            "benanza-analyze fusion --graph g.graph.json --results build/results --layout any "
            "--precision fp32");
}

TEST(Findings, WithinTheNoiseAreNone) {
  Found given = product_and_relu();
  // 11 to 15 us, 13 in the mean: 1 us less than apart, give or take 2.
  const std::string fused = "gemm/m100_n200_k50_nn_w_relu/fp32/plain/onednn/y";
  given.set() = steady({{"relu", 4 * us}});
  given.set().add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/onednn/x", five(10 * us)));
  given.set().add(measured(fused, {11 * us, 12 * us, 13 * us, 14 * us, 15 * us}));
  EXPECT_THAT(given.of("unfused layers"), IsEmpty());
}

// One repetition each: 3% of 14 us are 0.42.
TEST(Findings, WithoutAKnownSpreadNeedAMargin) {
  const auto found = [](double fused_us) {
    Found given = product_and_relu();
    given.set() = {};
    const auto once = [&](const std::string& name, double seconds) {
      given.set().add(measured_in_one_process(name, {seconds * us}));
    };
    once("relu/relu/fp32/nchw/onednn/jit", 4);
    once("gemm/m100_n200_k50_nn_w/fp32/plain/onednn/x", 10);
    once("gemm/m100_n200_k50_nn_w_relu/fp32/plain/onednn/x", fused_us);
    return given.of("unfused layers");
  };
  EXPECT_THAT(found(13.7), IsEmpty());
  ASSERT_THAT(found(13.5), SizeIs(1));
  EXPECT_FALSE(found(13.5)[0].finding.interval);
}

TEST(Findings, ThatAPlanContradictsAreNone) {
  Found slow = product_and_relu();
  slow.plan(15 * us);
  EXPECT_THAT(slow.of("unfused layers"), IsEmpty());
  Found same = product_and_relu();
  same.plan(14 * us);
  EXPECT_THAT(same.of("unfused layers"), IsEmpty());
}

TEST(Findings, GainWhatAPlanBearsOut) {
  Found given = product_and_relu();
  given.plan(13 * us);
  const std::vector<Judged> part = given.of("unfused layers");
  ASSERT_THAT(part, SizeIs(1));
  EXPECT_NEAR(*part[0].finding.gain_seconds, 1 * us, tiny);  // 14 - 13, not 2
  EXPECT_EQ(part[0].finding.certainty, Certainty::timed);
  EXPECT_THAT(part[0].finding.what, HasSubstr("confirms 0.001 ms of 0.002 ms"));
  // Against a plan of one call a layer, 16 us: all of it.
  given.plan(16 * us, false);
  const std::vector<Judged> all = given.of("unfused layers");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(*all[0].finding.gain_seconds, 2 * us, tiny);
  EXPECT_THAT(all[0].finding.what, HasSubstr("Run as a plan, the bound's calls take 0.013 ms."));
}

/// Two products of one problem and a relu (4 us). The library's choice takes `first_us`, the
/// fastest call 10.
Found two_products(const std::vector<double>& first_us) {
  Found given({.model = "m",
               .batch = 1,
               .layers = {layer("fc1", {}), layer("fc2", {0}), layer("relu", {1})}},
              steady({{"relu", 4 * us}}));
  for (const std::size_t product : {0, 1}) {
    given.graph().layers[product].problems = {"gemm/m100_n100_k100_nn_w"};
  }
  std::vector<double> seconds;
  for (const double one : first_us) seconds.push_back(one * us);
  Measurement first = measured("gemm/m100_n100_k100_nn_w/fp32/plain/onednn/first", seconds);
  first.heuristic_rank = 1;
  Measurement second = measured("gemm/m100_n100_k100_nn_w/fp32/plain/onednn/second", five(10 * us));
  second.heuristic_rank = 2;
  given.set().add(std::move(first));
  given.set().add(std::move(second));
  return given;
}

TEST(Findings, OfTheLibrarysChoiceNameEqualProblemsOnce) {
  const std::vector<Judged> found = two_products(five(14)).of("choice of algorithm");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 8 * us, tiny);  // twice 14 - 10
  EXPECT_NEAR(found[0].reference.seconds, 32 * us, tiny);     // 14 + 14 + 4
  EXPECT_THAT(found[0].finding.layers, ElementsAre(0, 1));
  EXPECT_THAT(found[0].finding.what,
              HasSubstr("The library's default runs 2 of 2 products with a slower algorithm than "
                        "the fastest; most is lost in fc1 and 1 more of this problem (14.0 us by "
                        "plain/onednn/first, 10.0 us by plain/onednn/second)."));
}

TEST(Findings, OfAChoiceWithinTheNoiseAreNone) {
  EXPECT_THAT(two_products({8, 9, 11, 13, 14}).of("choice of algorithm"), IsEmpty());
}

TEST(Findings, OfAChoiceThatAPlanContradictsAreNone) {
  Found given = two_products(five(14));
  given.plan(33 * us, false);
  EXPECT_THAT(given.of("choice of algorithm"), IsEmpty());
}

/// a -> b; b takes 8 us in NCHW and `nhwc_us` in NHWC, conversions 1 us each.
Found two_layouts(double nhwc_us) {
  Found given({.model = "m", .batch = 1, .layers = {layer("a", {}), layer("b", {0})}});
  for (Layer& one : given.graph().layers) one.outputs = {{.shape = Dims{1, 8, 4, 4}}};
  const auto add = [&](const std::string& name, double seconds_us) {
    given.set().add(measured(name, five(seconds_us * us)));
  };
  add("relu/a/fp32/nchw/cudnn/x", 2);
  add("relu/b/fp32/nchw/cudnn/x", 8);
  add("relu/b/fp32/nhwc/cudnn/x", nhwc_us);
  for (const std::size_t index : {0, 1}) {
    const std::string name = "copy/" + std::to_string(index);
    given.graph().transforms.push_back(
        {.layer = index, .to_nhwc = name + "_nhwc", .to_nchw = name + "_nchw"});
    add(name + "_nhwc/fp32/plain/cudnn/t", 1);
    add(name + "_nchw/fp32/plain/cudnn/t", 1);
  }
  return given;
}

TEST(Findings, OfTheLayoutCountConversions) {
  const std::vector<Judged> found = two_layouts(3).of("memory format");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 3 * us, tiny);  // 2 + 8 - (2 + 1 + 3 + 1)
  EXPECT_NEAR(found[0].reference.seconds, 10 * us, tiny);
  EXPECT_THAT(found[0].finding.layers, ElementsAre(1));
  EXPECT_THAT(
      found[0].finding.what,
      HasSubstr("0.010 ms, in NHWC where possible 0.007 ms, 0.002 ms of them for 2 conversions."));
  EXPECT_THAT(two_layouts(6).of("memory format"), IsEmpty());  // 2 + 1 + 6 + 1 is not less
  // oneDNN's own formats: nobody runs all layers in NCHW.
  Found with_own = two_layouts(3);
  with_own.set().add(measured("relu/a/fp32/any/onednn/jit", five(1 * us)));
  EXPECT_THAT(with_own.of("memory format"), IsEmpty());
}

TEST(Findings, OfASmallerTypeAreTheDifferenceOfTheBounds) {
  Found given = test::three_layers();
  for (const char* const name : {"a", "b", "c"}) {
    const double seconds = std::string(name) == "a" ? 40 * us : 20 * us;
    given.set().add(measured(std::string("relu/") + name + "/fp16/nchw/onednn/jit", five(seconds)));
    given.set().add(measured(std::string("relu/") + name + "/bf16/nchw/onednn/jit", five(90 * us)));
  }
  const std::vector<Judged> found = given.of("precision");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 90 * us, tiny);  // 170 - 80; bf16 takes longer
  EXPECT_THAT(found[0].finding.layers, ElementsAre(0, 1));
  EXPECT_THAT(found[0].finding.what, HasSubstr("At fp32 the bound is 0.170 ms, at fp16 0.080 ms."));
  // From fp16, neither fp32 nor bf16 is a smaller type.
  given.filter.precision = Precision::fp16;
  EXPECT_THAT(given.of("precision"), IsEmpty());
}

/// b and c at the same time.
Found found_diamond() {
  return Found({.model = "m",
                .batch = 1,
                .layers = {layer("a", {}), layer("b", {0}), layer("c", {0}), layer("d", {1, 2})}},
               steady({{"a", 10 * us}, {"b", 50 * us}, {"c", 20 * us}, {"d", 10 * us}}));
}

TEST(Findings, OfBranchesAreALimit) {
  Found given = found_diamond();
  EXPECT_THAT(given.of("serialized branches"), IsEmpty()) << "a processor's calls share its cores";
  given.inputs.results.systems["cudnn"] = {{"device", "D"}};
  const std::vector<Judged> found = given.of("serialized branches");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 20 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::at_most);
  EXPECT_THAT(found[0].finding.layers, ElementsAre(2));
  EXPECT_THAT(test::three_layers().of("serialized branches"), IsEmpty());
}

TEST(Findings, BranchesOfAPlanThatWasRunInThem) {
  Found given = found_diamond();
  given.plan(170 * us);
  given.inputs.plans.back().branch_seconds = std::vector<double>(3, 150 * us);
  const std::vector<Judged> found = given.of("serialized branches");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 20 * us, 1e-12);
  EXPECT_EQ(found[0].finding.certainty, Certainty::timed);
  EXPECT_EQ(found[0].reference.name, "the plan");
  given.inputs.plans.back().branch_seconds = std::vector<double>(3, 171 * us);
  EXPECT_THAT(given.of("serialized branches"), IsEmpty()) << "they cost time";
}

TEST(Findings, OfTheSequenceAreWhatItTakesLonger) {
  Found given = test::three_layers();
  given.inputs.sequences = {{.model = "m",
                             .batch = 1,
                             .calls = 3,
                             .alone_seconds = 170 * us,
                             .seconds = {220 * us, 221 * us, 219 * us}}};
  const std::vector<Judged> found = given.of("memory between calls");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 50 * us, tiny);
  EXPECT_NEAR(*found[0].share(), 50.0 / 220, 1e-9);
  given.run("pytorch", {100 * us, 50 * us, 20 * us}, 230 * us);
  EXPECT_THAT(given.of("memory between calls"), SizeIs(1));
  given.inputs.profiles.clear();
  given.run("pytorch", {100 * us, 50 * us, 20 * us}, 210 * us);
  EXPECT_THAT(given.of("memory between calls"), IsEmpty()) << "its calls suit each other better";
  given.inputs.profiles.clear();
  given.inputs.sequences[0].seconds = {165 * us, 175 * us, 185 * us};
  EXPECT_THAT(given.of("memory between calls"), IsEmpty());
  given.inputs.sequences[0].seconds = {171 * us, 4171 * us, 4180 * us};
  EXPECT_THAT(given.of("memory between calls"), IsEmpty()) << "other programs ran in between";
}

/// A product with 10 columns (10 us), or with 16 (4 us) and a copy (2 us).
Found product_that_may_be_padded() {
  Found given({.model = "m",
               .batch = 1,
               .layers = {layer("fc", {}), layer("relu", {0})},
               .fusions = {{.pattern = "padded",
                            .layers = {0},
                            .problem = "gemm/m8_n16_k64_nn_w",
                            .also = {"copy/8x10_f16.1_t10.1"}}}},
              steady({{"relu", 4 * us}}));
  given.graph().layers[0].problems = {"gemm/m8_n10_k64_nn_w"};
  given.set().add(measured("gemm/m8_n10_k64_nn_w/fp32/plain/onednn/x", five(10 * us)));
  given.set().add(measured("gemm/m8_n16_k64_nn_w/fp32/plain/onednn/x", five(4 * us)));
  given.set().add(measured("copy/8x10_f16.1_t10.1/fp32/plain/onednn/x", five(2 * us)));
  return given;
}

TEST(Findings, OfPaddingCountTheCopies) {
  const std::vector<Judged> found = product_that_may_be_padded().of("padding");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 4 * us, tiny);  // 10 - 4 - 2
  EXPECT_NEAR(*found[0].share(), 4.0 / 14, 1e-9);
  EXPECT_EQ(found[0].reference.name, "the bound without padding");
  EXPECT_THAT(found[0].finding.layers, ElementsAre(0));
  EXPECT_THAT(
      found[0].finding.what,
      HasSubstr("fc (gemm/m8_n10_k64_nn_w as gemm/m8_n16_k64_nn_w, 10.0 us, padded 6.0 us)"));
}

TEST(Findings, OfPaddingThatGainsNothingAreNone) {
  Found given = product_that_may_be_padded();
  given.set().add(measured("gemm/m8_n10_k64_nn_w/fp32/plain/onednn/y", five(5 * us)));
  EXPECT_THAT(given.of("padding"), IsEmpty());
}

TEST(Findings, OfReferenceCodeAreALimit) {
  Found given = test::three_layers();
  EXPECT_THAT(given.of("reference code"), IsEmpty());
  given.set() = steady({{"a", 100 * us}, {"c", 20 * us}});
  Measurement reference = measured("relu/b/fp32/nchw/onednn/ref", five(80 * us));
  reference.reference = true;
  given.set().add(std::move(reference));
  const std::vector<Judged> found = given.of("reference code");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 80 * us, tiny);
  EXPECT_NEAR(*found[0].share(), 0.4, 1e-9);
  EXPECT_THAT(found[0].finding.what, HasSubstr("1 of the 3 calls, 0.080 ms of the bound, are"));
}

TEST(Findings, OfLayersWithoutATimeSayWhy) {
  Found given(
      {.model = "m",
       .batch = 1,
       .layers = {layer("a", {}), layer("b", {0}), layer("odd", {1}, Cost::unsupported, "?")}},
      steady({{"a", 100 * us}}));
  given.graph().layers[2].op = "Einsum";
  const std::vector<Judged> none = given.of("layers without a call");
  ASSERT_THAT(none, SizeIs(1));
  EXPECT_FALSE(none[0].finding.gain_seconds);
  EXPECT_THAT(none[0].finding.what,
              HasSubstr("1 layer that no library here supports at fp32: Einsum (1)"));
  given.graph().layers[2].precision = "fp8";
  EXPECT_THAT(given.of("layers without a call")[0].finding.what, HasSubstr("supports at fp8: Ein"));
  const std::vector<Judged> missing = given.of("layers not measured");
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_THAT(missing[0].finding.layers, ElementsAre(1));
  EXPECT_THAT(test::three_layers().of("layers without a call"), IsEmpty());
}

TEST(Findings, OfFirstChoicesSayThatTheBoundMayFall) {
  Found given = test::three_layers();
  EXPECT_THAT(given.of("alternatives not measured"), IsEmpty());
  given.set() = steady({{"a", 100 * us}, {"c", 20 * us}});
  Measurement first = measured("relu/b/fp32/nchw/onednn/jit", five(50 * us));
  first.first_choice = true;
  given.set().add(std::move(first));
  const std::vector<Judged> found = given.of("alternatives not measured");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].finding.what, HasSubstr("1 of the 3 calls are default choices"));
}

/// 2 x 100 x 200 x 50 = 2e6 FLOP at 1e12 FLOP/s: a floor of 2 us; but no call takes less than 4.
TEST(Findings, OfHeadRoomAreTheTimeAboveTheFloor) {
  Found given = product_and_relu();
  given.inputs.results.peaks["onednn"] = {{"peak_fp32_flops_per_second", 1e12}};
  const std::vector<Judged> found = given.of("far from the floor");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 6 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::at_most);
  EXPECT_THAT(found[0].finding.what,
              HasSubstr("One layer takes 0.010 ms (71% of the bound), 2.5 times"));
  EXPECT_THAT(found[0].finding.remedy.command, HasSubstr("--problem=gemm/m100_n200_k50_nn_w"));
}

/// What several calls of a layer must move is not known as a whole.
TEST(Findings, OfHeadRoomAreNoneForLayersOfSeveralCalls) {
  Found given = product_and_relu();
  given.inputs.results.peaks["onednn"] = {{"peak_fp32_flops_per_second", 1e12}};
  given.graph().layers[0].problems.push_back("relu");
  EXPECT_THAT(given.of("far from the floor"), IsEmpty());
}

/// A 3x3 convolution by its definition at 95% of the peak. The floor, of the best known algorithm,
/// is 8.2 times lower; but that the library could multiply less is not known.
TEST(Findings, OfHeadRoomCountTheMultiplicationsDone) {
  constexpr double direct_seconds = 2.0 * 64 * 166 * 166 / 1e12;
  const std::string key = "conv/1x8x56x56_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  Found given({.model = "m", .batch = 1, .layers = {layer("c", {})}});
  given.graph().layers[0].op = "Conv";
  given.graph().layers[0].problems = {key};
  given.set().add(measured(key + "/fp32/nchw/onednn/jit:avx2", five(direct_seconds / 0.95)));
  given.set().add(measured("relu/1/fp32/nchw/onednn/jit", five(tiny)));
  given.inputs.results.peaks["onednn"] = {{"peak_fp32_flops_per_second", 1e12}};
  const std::vector<Judged> found = given.of("far from the floor");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, direct_seconds * (1 / 0.95 - 1), tiny);
  EXPECT_THAT(found[0].finding.what, HasSubstr("1.1 times the minimum for its arithmetic"));
}

/// 640,000 elements read and written are 5.12 MB: 51.2 us at 100 GB/s.
TEST(Findings, OfCallsAtTheMemorysBandwidthHaveNoGain) {
  const auto found = [](double seconds) {
    const std::string key = "relu/1x64x100x100";
    Found given({.model = "m", .batch = 1, .layers = {layer("a", {})}});
    given.graph().layers[0].problems = {key};
    given.set().add(measured(key + "/fp32/nchw/onednn/jit", five(seconds)));
    given.inputs.results.peaks["onednn"] = {{"peak_bytes_per_second", 1e11}};
    given.inputs.results.systems["onednn"] = {{"l3_bytes", "1"}};
    return given.of("limited by memory");
  };
  ASSERT_THAT(found(60 * us), SizeIs(1));  // 85%
  EXPECT_FALSE(found(60 * us)[0].finding.gain_seconds);
  EXPECT_THAT(found(60 * us)[0].finding.what,
              HasSubstr("1 layer (0.060 ms, 100% of the bound) runs at 60% or more"));
  EXPECT_THAT(found(120 * us), IsEmpty());  // 43%
}

}  // namespace
}  // namespace benanza::analysis
