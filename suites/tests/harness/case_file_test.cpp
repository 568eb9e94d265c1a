#include "suites/harness/cases/case_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/error.h"
#include "suites/harness/choose/case_plan.h"
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(std::string_view file) {
  std::vector<std::string> all;
  for (const Case& one : parse_cases(file, "x.cases")) {
    all.push_back(std::to_string(one.line) + ' ' + text_of(one));
  }
  return all;
}

std::string refusal(std::string_view file) {
  try {
    parse_cases(file, "x.cases");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CaseFile, ALineSaysOneCaseForEachPrecisionAndLayout) {
  EXPECT_THAT(texts("# nothing\n\nrelu/8\r\nrelu/8 fp32,bf16 nchw,nhwc jit* -> no way  # why\n"),
              ElementsAre("3 relu/8 -> ok", "4 relu/8 fp32 nchw jit* -> no way",
                          "4 relu/8 fp32 nhwc jit* -> no way", "4 relu/8 bf16 nchw jit* -> no way",
                          "4 relu/8 bf16 nhwc jit* -> no way"));
  EXPECT_THAT(texts("relu/8 every-layout -> unsupported has no # 3"),
              ElementsAre("1 relu/8 every-layout -> unsupported has no"));
}

TEST(CaseFile, ALineTakesWhatItLeavesOutFromEveryDefaultOfItsPrecision) {
  EXPECT_THAT(
      texts("default fp32 every-layout\n"
            "default int8 -> ok if supported\n"
            "relu/8\n"
            "relu/9 int8 -> ok\n"
            "relu/10 bf16\n"
            "default nhwc -> failed\n"
            "relu/11 fp32\n"),
      ElementsAre("3 relu/8 fp32 every-layout -> ok", "3 relu/8 int8 -> ok if supported",
                  "4 relu/9 int8 -> ok", "5 relu/10 bf16 -> ok", "7 relu/11 fp32 nhwc -> failed"));
}

TEST(CaseFile, AnErrorIsOneLineWithItsPlace) {
  EXPECT_THAT(refusal("relu/8\nreluu/8"), HasSubstr("x.cases:2: "));
  EXPECT_EQ(refusal("relu/8 fp23"),
            "x.cases:1: \"fp23\": no precision; known: fp32, tf32, fp16, bf16, int8, fp8");
  EXPECT_THAT(refusal("relu/8 nhcw"), HasSubstr("no layout"));
  EXPECT_THAT(refusal("relu/8 fp32,nhwc"), HasSubstr("\"nhwc\": no precision"));
  EXPECT_THAT(refusal("relu/8 direct other"), HasSubstr("\"other\": a second algorithm"));
  EXPECT_THAT(refusal("relu/8 -> okay"), HasSubstr("\"okay\": expected after ->"));
  EXPECT_THAT(refusal("relu/8 -> ok sometimes"), HasSubstr("expected after ->"));
  EXPECT_THAT(refusal("relu/8 -> offers"), HasSubstr("\"offers\": the names of algorithms follow"));
  EXPECT_THAT(refusal("-> ok"), HasSubstr("key comes first"));
  EXPECT_THAT(refusal("# all of it"), HasSubstr("x.cases: no case"));
}

Case expecting(const char* words) {
  return parse_cases("relu/8 fp32 -> " + std::string(words), "x").front();
}

TEST(Unexpected, ComparesAllRowsOfACase) {
  using enum Status;
  const CaseRow right{"a", ok, ""};
  const CaseRow refused{"b", unsupported, "has no relu"};
  const CaseRow wrong{"c", incorrect, "element 3"};
  const auto holds = [](const char* words, const std::vector<CaseRow>& rows) {
    return !unexpected(expecting(words), rows);
  };
  EXPECT_TRUE(holds("ok", {right, refused}));
  EXPECT_FALSE(holds("ok", {right, wrong}));
  EXPECT_FALSE(holds("ok", {refused}));
  EXPECT_FALSE(holds("ok", {}));
  EXPECT_TRUE(holds("ok if supported", {refused}));
  EXPECT_TRUE(holds("ok if supported", {}));
  EXPECT_FALSE(holds("ok if supported", {wrong}));
  EXPECT_TRUE(holds("unsupported", {refused}));
  EXPECT_TRUE(holds("unsupported no relu", {refused}));
  EXPECT_FALSE(holds("unsupported no gelu", {refused}));
  EXPECT_FALSE(holds("unsupported", {right, refused}));
  EXPECT_FALSE(holds("unsupported", {}));
  EXPECT_TRUE(holds("incorrect element", {right, wrong}));
  EXPECT_FALSE(holds("incorrect", {right}));
  EXPECT_FALSE(holds("failed", {wrong}));
  EXPECT_TRUE(holds("no way", {}));
  EXPECT_FALSE(holds("no way", {refused}));
  EXPECT_EQ(unexpected(expecting("ok"), std::vector{right, wrong}),
            "x:1: relu/8 fp32 -> ok: incorrect: element 3 (c)");
}

TEST(Unexpected, WhatIsOfferedIsNamedInOrder) {
  using enum Status;
  const std::vector<CaseRow> two{{"relu/8/fp32/nchw/x/b", ok, ""},
                                 {"relu/8/fp32/nchw/x/a", unsupported, "later"},
                                 {"relu/8/fp32/nhwc/x/b", ok, ""}};
  EXPECT_EQ(text_of(expecting("offers  b a ")), "relu/8 fp32 -> offers b a");
  EXPECT_EQ(unexpected(expecting("offers b a"), two), std::nullopt);
  EXPECT_EQ(unexpected(expecting("offers a b"), two), "x:1: relu/8 fp32 -> offers a b: offers b a");
  EXPECT_TRUE(unexpected(expecting("offers b"), two));
  EXPECT_EQ(unexpected(expecting("offers b"),
                       std::vector<CaseRow>{{"relu/8/fp32/nchw/x/none", unsupported, "no relu"}}),
            "x:1: relu/8 fp32 -> offers b: unsupported: no relu (relu/8/fp32/nchw/x/none)");
}

struct CaseSuite : Suite {
  Finished run_cases(const std::string& text, std::vector<std::string> more = {}) {
    const std::filesystem::path cases = file.parent_path() / "x.cases";
    std::ofstream(cases) << text;
    more.push_back("--cases=" + cases.string());
    more.emplace_back("--budget=0.001");
    return run(more);
  }
};

// fake: sigmoid is refused, tanh has a wrong way, elu fails, softmax is not its own.
TEST_F(CaseSuite, IsMeasuredAndItsExitStatusSaysWhetherAllHeld) {
  const Finished held = run_cases(
      "default fp32\nrelu/8 every-layout\nrelu/8 nhwc direct\n"
      "sigmoid/8 -> unsupported has no sigmoid\ntanh/8 -> incorrect\nelu/8_a1 -> failed handle "
      "lost\n"
      "tanh/8 refused -> unsupported\nsoftmax/8x8_a1 -> no way\nrelu/8 plain -> no way\n",
      {out_flag()});
  EXPECT_EQ(held.status, 0) << held.err;
  EXPECT_THAT(held.err, HasSubstr("9 of 9 cases are as expected"));
  EXPECT_TRUE(names().contains("relu/8/fp32/nhwc/fake/strided"));
}

TEST_F(CaseSuite, SaysWhichCasesDidNotHold) {
  const Finished none = run_cases("relu/8 fp32\ntanh/8 fp32\nsoftmax/8x8_a1 fp32\n");
  EXPECT_EQ(none.status, 2) << none.err;
  EXPECT_THAT(none.err, HasSubstr("x.cases:2: tanh/8 fp32 -> ok: incorrect: "));
  EXPECT_THAT(none.err, HasSubstr("x.cases:3: softmax/8x8_a1 fp32 -> ok: no way\n"));
  EXPECT_THAT(none.err, HasSubstr("1 of 3 cases are as expected"));
}

TEST_F(CaseSuite, NarrowsByFlagsAndRefusesWhatWouldHideCases) {
  const std::string two = "relu/8 fp32\ntanh/8 fp32\n";
  EXPECT_EQ(run_cases(two, {all_relu}).status, 0);
  EXPECT_THAT(run_cases(two, {"--shard=1/2"}).err, HasSubstr("--cases and --shard"));
  EXPECT_THAT(run_cases("relu/8 fp23\n").err, HasSubstr("x.cases:1: \"fp23\": no precision"));
}

}  // namespace
}  // namespace benanza::harness
