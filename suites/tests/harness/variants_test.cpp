#include "suites/harness/choose/variants.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* relu[] = {"relu/1x8", "relu/2x8", "relu/3x8", "relu/1x8"};
constexpr const char* others[] = {"sigmoid/1x8", "elu/1x8_a1"};

/// Counts the queries for algorithms.
class CountingBackend : public FakeBackend {
 public:
  CountingBackend() : FakeBackend("1") {}
  std::vector<Way> ways(const Variant& prototype, AlgorithmSet set) override {
    ++questions;
    return FakeBackend::ways(prototype, set);
  }
  int questions = 0;
};

/// Supports Layout::any, but refuses it for two rows.
class ChoosingBackend : public FakeBackend {
 public:
  ChoosingBackend() : FakeBackend("1") {}
  std::vector<Layout> layouts(const Problem&) const override {
    return {Layout::nchw, Layout::nhwc, Layout::any};
  }
  std::vector<Way> ways(const Variant& prototype, AlgorithmSet) override {
    if (prototype.layout == Layout::any && key(prototype.problem) == "relu/2x8") {
      throw Unsupported("two rows");
    }
    return {{.name = "direct"}};
  }
};

struct Enumerate : ::testing::Test {
  std::vector<NamedVariant> all(const Selection& selection) {
    return enumerate(backend, {{relu, others}, {Precision::fp32}}, selection);
  }
  std::vector<std::string> names(const Selection& selection) {
    std::vector<std::string> result;
    for (const NamedVariant& variant : all(selection)) result.push_back(variant.name);
    return result;
  }
  CountingBackend backend;
};

TEST_F(Enumerate, NamesEveryVariantOnce) {
  EXPECT_THAT(names({.filter = "relu/1x8"}),
              ElementsAre("relu/1x8/fp32/nchw/fake/direct", "relu/1x8/fp32/nchw/fake/strided",
                          "relu/1x8/fp32/nhwc/fake/direct", "relu/1x8/fp32/nhwc/fake/strided"));
}

TEST_F(Enumerate, TheVariantIsWhatItsNameSays) {
  const std::vector<NamedVariant> variants = all({.filter = "2x8.*nhwc.*strided"});
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_EQ(key(variants[0].variant.problem), "relu/2x8");
  EXPECT_EQ(variants[0].variant.layout, Layout::nhwc);
  EXPECT_EQ(variants[0].variant.algorithm, "strided");
  EXPECT_EQ(variants[0].status, Status::ok);
}

// 2 x 2^46 elements of 4 bytes: 563 TB. The library is not asked.
TEST_F(Enumerate, TensorsThatNoMemoryHoldsAreOneFailedVariant) {
  const std::vector<NamedVariant> variants = all({.problems = {"relu/1x70368744177664"}});
  ASSERT_EQ(variants.size(), 2U);  // one for each layout
  EXPECT_EQ(variants[0].name, "relu/1x70368744177664/fp32/nchw/fake/none");
  EXPECT_EQ(variants[0].status, Status::failed);
  EXPECT_THAT(variants[0].reason,
              ::testing::StartsWith("its tensors take 562950.0 GB, and this machine has "));
  EXPECT_EQ(backend.questions, 0);
}

TEST_F(Enumerate, NoAlgorithmIsOneVariantWithTheReason) {
  const std::vector<NamedVariant> variants = all({.filter = "sigmoid|^elu"});
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0].name, "sigmoid/1x8/fp32/plain/fake/none");
  EXPECT_EQ(variants[0].status, Status::unsupported);
  EXPECT_EQ(variants[0].reason, "fake has no sigmoid");
  EXPECT_EQ(variants[1].name, "elu/1x8_a1/fp32/plain/fake/none");
  EXPECT_EQ(variants[1].status, Status::failed);
  EXPECT_EQ(variants[1].reason, "handle lost");
}

TEST_F(Enumerate, SelectsAlgorithmsPrecisionsLayoutsAndTemperature) {
  EXPECT_THAT(
      names({.precisions = {Precision::bf16, Precision::fp32},
             .layouts = {Layout::nhwc},
             .algorithms = AlgorithmSet::best,
             .cold = true,
             .filter = "relu/1x8"}),
      ElementsAre("relu/1x8/bf16/nhwc/fake/direct/cold", "relu/1x8/fp32/nhwc/fake/direct/cold"));
  EXPECT_EQ(names({.algorithms = AlgorithmSet::with_reference, .filter = "relu/1x8/.*nchw"}).size(),
            3U);
}

TEST(EnumerateOfOneLayout, IsWhatTheLibraryChoosesAndIfItRefusesTheOthers) {
  ChoosingBackend backend;
  Selection selection{.algorithms = AlgorithmSet::best, .layout_of_library = true};
  const auto names = [&] {
    std::vector<std::string> result;
    for (const NamedVariant& one : enumerate(backend, {{relu}, {Precision::fp32}}, selection)) {
      result.push_back(one.name);
    }
    return result;
  };
  EXPECT_THAT(names(),
              ElementsAre("relu/1x8/fp32/any/fake/direct", "relu/2x8/fp32/any/fake/none",
                          "relu/2x8/fp32/nchw/fake/direct", "relu/2x8/fp32/nhwc/fake/direct",
                          "relu/3x8/fp32/any/fake/direct"));
  selection.layouts = {Layout::nhwc};
  EXPECT_THAT(names(),
              ElementsAre("relu/1x8/fp32/nhwc/fake/direct", "relu/2x8/fp32/nhwc/fake/direct",
                          "relu/3x8/fp32/nhwc/fake/direct"));
}

TEST_F(Enumerate, ALibraryThatChoosesNoLayoutIsAskedForAll) {
  EXPECT_EQ(names({.layout_of_library = true, .filter = "relu/1x8/.*direct"}).size(), 2U);
}

TEST_F(Enumerate, KeepsTheFirstProblemsOfEveryOperator) {
  EXPECT_THAT(names({.layouts = {Layout::nchw, Layout::plain},
                     .algorithms = AlgorithmSet::best,
                     .problems_per_operator = 2}),
              ElementsAre("relu/1x8/fp32/nchw/fake/direct", "relu/2x8/fp32/nchw/fake/direct",
                          "sigmoid/1x8/fp32/plain/fake/none", "elu/1x8_a1/fp32/plain/fake/none"));
}

TEST_F(Enumerate, RecordedCallsAreMeasuredBesidesTheLibrarysChoices) {
  Selection selection{
      .layouts = {Layout::nchw, Layout::plain},
      .recorded = {"relu/1x8/fp32/nchw/fake/engine62.k2=1", "relu/1x8/fp32/nchw/fake/direct",
                   // Another type, layout, library and problem.
                   "relu/1x8/fp16/nchw/fake/engine62.k2=2", "relu/1x8/fp32/nhwc/fake/engine62.k2=3",
                   "relu/1x8/fp32/nchw/other/engine62.k2=4",
                   "relu/9x8/fp32/nchw/fake/engine62.k2=5",
                   // The library offers nothing for this one.
                   "sigmoid/1x8/fp32/plain/fake/engine1"},
      .filter = "^relu/1x8|^sigmoid"};
  EXPECT_THAT(
      names(selection),
      ElementsAre("relu/1x8/fp32/nchw/fake/direct", "relu/1x8/fp32/nchw/fake/strided",
                  "relu/1x8/fp32/nchw/fake/engine62.k2=1", "sigmoid/1x8/fp32/plain/fake/engine1"));
  selection.cold = true;
  EXPECT_EQ(names(selection)[2], "relu/1x8/fp32/nchw/fake/engine62.k2=1/cold");
  selection.algorithms = AlgorithmSet::best;
  EXPECT_EQ(names(selection).size(), 2U);
}

TEST_F(Enumerate, GivenProblemsReplaceTheRegistered) {
  EXPECT_THAT(names({.algorithms = AlgorithmSet::best, .problems = {"relu/7"}}),
              ElementsAre("relu/7/fp32/nchw/fake/direct", "relu/7/fp32/nhwc/fake/direct"));
  EXPECT_THROW(all({.problems = {"relu/x"}}), Error);
  EXPECT_THROW(all({.problems = {"nonsense"}}), Error);
}

TEST_F(Enumerate, ProblemsOfBytesAreMeasuredAtTheseBytes) {
  EXPECT_THAT(names({.layouts = {Layout::nchw},
                     .algorithms = AlgorithmSet::best,
                     .problems = {"relu/7"},
                     .stored_problems = {{Precision::int8, {"relu/7", "relu/9"}},
                                         {Precision::fp8, {"relu/7"}}}}),
              ElementsAre("relu/7/fp32/nchw/fake/direct", "relu/7/int8/nchw/fake/direct",
                          "relu/7/fp8/nchw/fake/direct", "relu/9/int8/nchw/fake/direct"));
}

TEST_F(Enumerate, ALibraryIsNotAskedForPackedWeightsThatItDoesNotTake) {
  const std::vector<NamedVariant> variants =
      all({.problems = {"gemm/m1_n64_k64_nt_w_packed.int4.b32"}});
  ASSERT_FALSE(variants.empty());
  EXPECT_EQ(variants[0].status, Status::unsupported);
  EXPECT_EQ(variants[0].reason, "no call that multiplies by int4 weights in blocks of 32");
  EXPECT_EQ(backend.questions, 0);
}

TEST_F(Enumerate, AsksTheLibraryOnlyAboutWhatTheFilterCanMatch) {
  EXPECT_EQ(names({.filter = "^relu/2x8/.*direct"}).size(), 2U);
  EXPECT_EQ(backend.questions, 2);
}

TEST(NameFilter, MeansWhatGoogleBenchmarkMeans) {
  const std::string name = "conv/1x3x8x8_k4x3x3/fp16/nhwc/cudnn/gemm";
  EXPECT_TRUE(NameFilter("").matches(name));
  EXPECT_TRUE(NameFilter("all").matches(name));
  EXPECT_TRUE(NameFilter("conv").matches(name));
  EXPECT_TRUE(NameFilter("fp16").matches(name));
  EXPECT_TRUE(NameFilter("/gemm$").matches(name));
  EXPECT_FALSE(NameFilter("^gemm").matches(name));
  EXPECT_FALSE(NameFilter("-conv").matches(name));
  EXPECT_TRUE(NameFilter("-relu").matches(name));
  EXPECT_TRUE(NameFilter("relu|(conv.*gemm)").matches(name));
  EXPECT_THROW(NameFilter("("), Error);
}

TEST(NameFilter, NeverRulesOutAPrefixThatCouldMatch) {
  for (const char* const pattern :
       {"", "conv", "^conv", "^conv/1", "^conv?", "^con.*/fp16", "^c", "-^relu", "^relu|^conv",
        "^(conv|relu)", "^convx*/1x3", "-conv", "^[ac]onv", "^conv/1x3/fp32/"}) {
    EXPECT_TRUE(NameFilter(pattern).may_match("conv/1x3/")) << pattern;
  }
  for (const char* const pattern : {"^relu", "^conv/2", "^conv/1x3_k", "^conv/1x3/"}) {
    EXPECT_FALSE(NameFilter(pattern).may_match("conv/1x4/")) << pattern;
  }
}

}  // namespace
}  // namespace benanza::harness
