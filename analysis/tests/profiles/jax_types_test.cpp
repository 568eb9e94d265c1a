// Element types in XLA's text that no problem is of: elementwise work, movement, reductions, and
// what the profile says of them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/folder.h"
#include "analysis/tests/profiles/hlo_text.h"

namespace benanza::analysis {
namespace {

using test::answer;
using test::dot_text;
using test::entry;
using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

/// A program that calls a computation with these lines.
std::string called(const std::string& type, const std::string& lines) {
  return "%fused {\n" + lines + "}\n\n" +
         entry("  ROOT %call = " + type + "[4,8]{1,0} fusion(%a, %b), kind=kLoop, calls=%fused\n");
}

TEST(JaxTypes, ElementwiseWorkOnOtherTypes) {
  const auto sum_of = [](const std::string& type) {
    return answer(called(type, "  %x = " + type + "[4,8]{1,0} parameter(0)\n  %y = " + type +
                                   "[4,8]{1,0} parameter(1)\n  ROOT %sum = " + type +
                                   "[4,8]{1,0} add(%x, %y)\n"));
  };
  EXPECT_EQ(sum_of("f32"), "add/4x8_4x8");
  EXPECT_EQ(sum_of("bf16"), "add/4x8_4x8");
  for (const std::string type : {"f64", "c64", "s32", "u32", "s64"}) {
    EXPECT_EQ(sum_of(type), "none: elementwise work on " + type);
  }
  EXPECT_EQ(answer(entry("  %x = f64[4,8]{1,0} parameter(0)\n"
                         "  ROOT %call = f64[4,8]{1,0} tanh(%x)\n")),
            "none: elementwise work on f64");
  // Half of it is read in doubles.
  EXPECT_EQ(answer(called("f32", R"(  %x = f64[4,8]{1,0} parameter(0)
  ROOT %c = f32[4,8]{1,0} convert(%x)
)")),
            "none: elementwise work on f64");
  // A mask of positions: integers are read, or made, beside floats.
  EXPECT_EQ(answer(called("f32", R"(  %x = f32[4,8]{1,0} parameter(0)
  %i = s32[4,8]{1,0} iota(), iota_dimension=1
  %n = s32[] parameter(1)
  %ns = s32[4,8]{1,0} broadcast(%n), dimensions={}
  %is = pred[4,8]{1,0} compare(%i, %ns), direction=LT
  %zero = f32[] constant(0)
  %zeros = f32[4,8]{1,0} broadcast(%zero), dimensions={}
  ROOT %s = f32[4,8]{1,0} select(%is, %x, %zeros)
)")),
            "relu/4x8");
  EXPECT_EQ(answer(called("f32", R"(  %x = s32[4,8]{1,0} parameter(0)
  ROOT %c = f32[4,8]{1,0} convert(%x)
)")),
            "relu/4x8");
}

TEST(JaxTypes, PartsStateTheirPrecisionOrWhyTheyHaveNoProblem) {
  const auto product = [](const std::string& type) {
    return jax::Program(entry("  %a = " + type + "[4,8]{1,0} parameter(0)\n  %b = " + type +
                              "[8,2]{1,0} parameter(1)\n  ROOT %call = " + type +
                              "[4,2]{1,0} dot(%a, %b), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}\n"))
        .parts("call")
        .at(0);
  };
  EXPECT_EQ(product("bf16").precision, Precision::bf16);
  EXPECT_EQ(product("f64").precision, std::nullopt);
  EXPECT_EQ(product("f64").reason, "products of f64");
  const jax::Program moved(
      entry("  %x = s32[4,8]{1,0} parameter(0)\n"
            "  ROOT %call = s32[8,4]{1,0} transpose(%x), "
            "dimensions={1,0}\n"));
  EXPECT_EQ(moved.parts("call").at(0).precision, Precision::fp32);
}

TEST(JaxTypes, FunctionsOfAStatedAccuracyAreTheLeastThatTheyTake) {
  const auto tanh = [](const std::string& attributes) {
    return answer(entry("  %x = f32[4,8]{1,0} parameter(0)\n  ROOT %call = f32[4,8]{1,0} tanh(%x)" +
                        attributes + "\n"));
  };
  EXPECT_EQ(tanh(""), "tanh/4x8");
  EXPECT_EQ(tanh(", result_accuracy={mode=highest}"), "relu/4x8");
}

TEST(JaxTypes, SeveralWindowsAreNoPooling) {
  const std::string window = "window={size=1x3x1 pad=0_0x1_1x0_0}, to_apply=%region\n";
  const auto pooled = [&](const std::string& last) {
    return jax::Program(R"(%region {
  %p = f32[] parameter(0)
  %q = f32[] parameter(1)
  ROOT %m = f32[] add(%p, %q)
}

%fused {
  %x = f32[2,8,4]{2,1,0} parameter(0)
  %z = f32[] constant(0)
  %one = f32[2,8,4]{2,1,0} reduce-window(%x, %z), )" +
                        window + "  ROOT %two = f32[2,8,4]{2,1,0} " + last + window + "}\n\n" +
                        entry("  ROOT %call = f32[2,8,4]{2,1,0} fusion(%a), kind=kLoop, "
                              "calls=%fused\n"))
        .parts("call");
  };
  EXPECT_THAT(pooled("abs(%one), "), SizeIs(1));
  EXPECT_THAT(pooled("reduce-window(%one, %z), "), IsEmpty());
}

TEST(JaxTypes, MovementOfOtherTypesCountsItsBytes) {
  const auto copied = [](const std::string& type) {
    return answer(called(type, "  %x = " + type + "[8,4]{1,0} parameter(0)\n  ROOT %t = " + type +
                                   "[4,8]{1,0} transpose(%x), dimensions={1,0}\n"));
  };
  EXPECT_EQ(copied("f32"), "copy/32_f1_t1");
  EXPECT_EQ(copied("s32"), "copy/32_f1_t1");
  EXPECT_EQ(copied("s8"), "copy/8_f1_t1");
  EXPECT_EQ(copied("f64"), "copy/64_f1_t1");
  EXPECT_EQ(copied("c64"), "copy/64_f1_t1");
  EXPECT_EQ(copied("s64"), "copy/64_f1_t1");
  EXPECT_EQ(copied("c128"), "copy/128_f1_t1");
}

TEST(JaxTypes, WhatTheProgramItselfRunsReadsItsParameters) {
  // Two tensors of 32 numbers, and a condition of bytes.
  EXPECT_EQ(answer(entry(R"(  %c = pred[4,8]{1,0} parameter(0)
  %a = f32[4,8]{1,0} parameter(1)
  %b = f32[4,8]{1,0} parameter(2)
  ROOT %call = f32[4,8]{1,0} select(%c, %a, %b)
)")),
            "add/4x8_4x8");
}

TEST(JaxTypes, ConcatenationsOfManyTensors) {
  // XLA numbers the sixth operand: each of eight has 4 elements.
  std::string lines;
  std::string operands;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "%x" + std::to_string(i);
    lines += "  " + name + " = f32[4]{0} parameter(" + std::to_string(i) + ")\n";
    operands += (i > 0 ? ", " : "") + std::string(i == 5 ? "/*index=5*/" : "") + name;
  }
  EXPECT_EQ(answer(entry(lines + "  ROOT %call = f32[32]{0} concatenate(" + operands +
                         "), dimensions={0}\n")),
            "copy/32_f1_t1");
}

TEST(JaxTypes, ReductionsByOtherComputations) {
  const auto reduced = [](const std::string& type, const std::string& region) {
    return jax::Program("%region {\n  %p = " + type + "[] parameter(0)\n  %q = " + type +
                        "[] parameter(1)\n" + region + "}\n\n" +
                        entry("  %x = " + type + "[4,8]{1,0} parameter(0)\n  %z = " + type +
                              "[] constant(0)\n  ROOT %call = " + type +
                              "[4]{0} reduce(%x, %z), dimensions={1}, to_apply=%region\n"))
        .told_parts("call");
  };
  const std::string sum = "[] add(%p, %q)\n";
  ASSERT_THAT(reduced("f32", "  ROOT %s = f32" + sum), SizeIs(1));
  EXPECT_EQ(reduced("f32", "  ROOT %s = f32" + sum)[0].part.problem, "reducesum/4x8_a1");
  for (const std::string type : {"f64", "s32"}) {
    const auto parts = reduced(type, "  ROOT %s = " + type + sum);
    ASSERT_THAT(parts, SizeIs(1));
    EXPECT_EQ(parts[0].part.problem, "");
    EXPECT_EQ(parts[0].remark, "elementwise work on " + type);
  }
  EXPECT_THAT(reduced("f32", "  ROOT %s = f32[] multiply(%p, %q)\n"), IsEmpty());
  EXPECT_THAT(reduced("f32", "  ROOT %s = f32[] minimum(%p, %q)\n"), IsEmpty());
  // The sum of p and |q|.
  EXPECT_THAT(reduced("f32", "  %a = f32[] abs(%q)\n  ROOT %s = f32[] add(%p, %a)\n"), IsEmpty());
}

/// A profile of a run of these instructions.
Profile run_profile(const std::string& text, const std::vector<std::string>& names) {
  const test::Folder folder;
  folder.write("m.hlo.txt", "HloModule jit_f\n\n" + text);
  nlohmann::json events = nlohmann::json::array();
  events.push_back({{"ph", "X"},
                    {"pid", 7},
                    {"ts", 0},
                    {"dur", 900},
                    {"name", "step"},
                    {"args", {{"step_num", "0"}}}});
  double start = 10;
  for (const std::string& name : names) {
    events.push_back({{"ph", "X"},
                      {"pid", 7},
                      {"ts", start += 10},
                      {"dur", 5},
                      {"name", name},
                      {"args", {{"hlo_op", name}, {"hlo_module", "jit_f"}}}});
  }
  folder.write("m.trace.json", nlohmann::json{{"traceEvents", events}}.dump());
  return read_profile(folder.write("m.json", nlohmann::json{{"schema", 1},
                                                            {"framework", "jax"},
                                                            {"version", "0.10.2"},
                                                            {"model", "m"},
                                                            {"batch", 1},
                                                            {"precision", "fp32"},
                                                            {"device", "cpu"},
                                                            {"latency_seconds", {1e-3}},
                                                            {"hlo", "m.hlo.txt"},
                                                            {"trace", "m.trace.json"}}
                                                 .dump()));
}

TEST(JaxTypes, TheProfileSaysWhatHasNoProblem) {
  const std::string product =
      "[64,96]{1,0} dot(%X, %Y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  std::string text;
  for (const std::string type : {"f32", "f64", "bf16"}) {
    const std::string a = "%" + type + "a";
    const std::string b = "%" + type + "b";
    text += "  " + a + " = " + type + "[64,128]{1,0} parameter(0)\n  " + b + " = " + type +
            "[128,96]{1,0} parameter(1)\n";
    for (const char* number : {"1", "2"}) {
      std::string line = product;
      line.replace(line.find("%X"), 2, a);
      line.replace(line.find("%Y"), 2, b);
      text += "  %" + type + "dot" + number + " = " + (type == "bf16" ? "f32" : type) + line;
    }
  }
  text += "  %tanh = f64[64,96]{1,0} tanh(%f64dot1)\n";
  const Profile profile =
      run_profile(entry(text), {"f32dot1", "f64dot1", "f64dot2", "bf16dot1", "tanh"});
  EXPECT_EQ(profile.precision, "fp32");
  EXPECT_THAT(profile.remarks,
              Contains("no problem describes elementwise work on f64 (1), products of f64 (2)"));
  EXPECT_THAT(
      profile.remarks,
      Contains("problems write results of the operands' type: products of bf16 with results "
               "of f32 (1)"));
  EXPECT_THAT(profile.nodes.at(0).parts.at(0).problem, "gemm/m64_n96_k128_nn");
  EXPECT_THAT(profile.nodes.at(1).parts.at(0).problem, "");
}

TEST(JaxTypes, AProgramOfDoublesIsNotAtFp32) {
  EXPECT_EQ(run_profile(dot_text("f64", "f64", "f64"), {"call"}).precision, "fp64");
  const Profile usual = run_profile(dot_text("f32", "f32", "f32"), {"call"});
  EXPECT_EQ(usual.precision, "fp32");
  EXPECT_THAT(usual.remarks, IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
