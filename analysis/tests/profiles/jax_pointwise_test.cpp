// Elementwise computations, pooling and reductions in XLA's text.
#include <gmock/gmock.h>

#include <string>

#include "analysis/profiles/jax/hlo.h"

namespace benanza::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// The only part of "%call" in this program.
Part part_of(const std::string& text) {
  const jax::Program program(text);
  const auto parts = program.parts("call");
  EXPECT_THAT(parts, SizeIs(1)) << text;
  return parts.empty() ? Part() : parts.front();
}

/// A program that calls a computation with these lines.
std::string fusion(const std::string& type, const std::string& lines) {
  return "%fused {\n" + lines + "}\n\nENTRY %main {\n  ROOT %call = " + type +
         " fusion(%a, %b), kind=kLoop, calls=%fused, metadata={op_name=\"x\"}\n}\n";
}

std::string problem_of(const std::string& type, const std::string& lines) {
  return part_of(fusion(type, lines)).problem;
}

TEST(JaxPointwise, AFunctionByItselfOrInAComputation) {
  const Part relu = part_of(fusion("f32[1,56,56,64]{3,2,1,0}",
                                   R"(  %param_0 = f32[1,56,56,64]{3,2,1,0} parameter(0)
  %zero = f32[] constant(0)
  %zeros = f32[1,56,56,64]{3,2,1,0} broadcast(%zero), dimensions={}, metadata={op_name="max"}
  ROOT %max = f32[1,56,56,64]{3,2,1,0} maximum(%param_0, %zeros)
)"));
  EXPECT_EQ(relu.op, "Relu");
  EXPECT_EQ(relu.problem, "relu/1x56x56x64");
  EXPECT_EQ(relu.output, (Dims{1, 56, 56, 64}));
  EXPECT_TRUE(relu.optional);
  const Part tanh = part_of(R"(ENTRY %main {
  %x = f32[4,8]{1,0} parameter(0)
  ROOT %call = f32[4,8]{1,0} tanh(%x)
})");
  EXPECT_EQ(tanh.op, "Tanh");
  EXPECT_EQ(tanh.problem, "tanh/4x8");
}

TEST(JaxPointwise, StepsOneAfterTheOtherAreOneCall) {
  // The residual sums of two blocks, as XLA writes them for a CPU.
  const Part part = part_of(fusion("f32[1,56,56,64]{3,2,1,0}",
                                   R"(  %param_1 = f32[1,64,56,56]{3,2,1,0} parameter(1)
  %param_2 = f32[1,56,56,64]{3,2,1,0} parameter(2)
  %transpose.57 = f32[1,64,56,56]{1,3,2,0} transpose(%param_2), dimensions={0,3,1,2}
  %copy.13 = f32[1,64,56,56]{3,2,1,0} copy(%transpose.57)
  %add.8 = f32[1,64,56,56]{3,2,1,0} add(%param_1, %copy.13)
  %constant.40 = f32[] constant(0)
  %max.40 = f32[1,64,56,56]{3,2,1,0} broadcast(%constant.40), dimensions={}
  %max.39 = f32[1,64,56,56]{3,2,1,0} maximum(%add.8, %max.40)
  %param_0 = f32[1,56,56,64]{3,2,1,0} parameter(0)
  %transpose.56 = f32[1,64,56,56]{1,3,2,0} transpose(%param_0), dimensions={0,3,1,2}
  %add.7 = f32[1,64,56,56]{3,2,1,0} add(%max.39, %transpose.56)
  %max.38 = f32[1,64,56,56]{3,2,1,0} maximum(%add.7, %max.40)
  %transpose.55 = f32[1,56,56,64]{2,1,3,0} transpose(%max.38), dimensions={0,2,3,1}
  ROOT %copy.11 = f32[1,56,56,64]{3,2,1,0} copy(%transpose.55)
)"));
  EXPECT_EQ(part.op, "Elementwise");
  EXPECT_EQ(part.problem, "add/1x56x56x64_1x56x56x64_relu_add_y1x56x56x64_relu");
}

TEST(JaxPointwise, NumbersAndBroadcastOperands) {
  // (x + bias) * 0.5, and x behind it.
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %bias = f32[8]{0} parameter(1)
  %row = f32[4,8]{1,0} broadcast(%bias), dimensions={1}
  %sum = f32[4,8]{1,0} add(%row, %x)
  %half = f32[] constant(0.5)
  %halves = f32[4,8]{1,0} broadcast(%half), dimensions={}
  ROOT %product = f32[4,8]{1,0} multiply(%sum, %halves)
)"),
            "add/4x8_1x8_linear_a0.5_b0");
  // exp(x) / y; y / exp(x) takes at least as much as a sum; 1 - x
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %y = f32[4,8]{1,0} parameter(1)
  %exp = f32[4,8]{1,0} exponential(%x)
  ROOT %quotient = f32[4,8]{1,0} divide(%exp, %y)
)"),
            "exp/4x8_div_y4x8");
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %y = f32[4,8]{1,0} parameter(1)
  %exp = f32[4,8]{1,0} exponential(%x)
  ROOT %quotient = f32[4,8]{1,0} divide(%y, %exp)
)"),
            "add/4x8_4x8");
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %one = f32[] constant(1)
  %ones = f32[4,8]{1,0} broadcast(%one), dimensions={}
  ROOT %rest = f32[4,8]{1,0} subtract(%ones, %x)
)"),
            "linear/4x8_a-1_b1");
}

TEST(JaxPointwise, OfOtherCompositionsTheLeastThatTheyTake) {
  // x * sigmoid(x) reads x once.
  const std::string swish = R"(  %x = f32[4,8]{1,0} parameter(0)
  %s = f32[4,8]{1,0} logistic(%x)
  ROOT %product = f32[4,8]{1,0} multiply(%x, %s)
)";
  EXPECT_EQ(part_of(fusion("f32[4,8]{1,0}", swish)).op, "Elementwise");
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", swish), "relu/4x8");
  // Two tensors; the condition has bytes, and the mean of a row is small.
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %a = f32[4,8]{1,0} parameter(0)
  %b = f32[4,8]{1,0} parameter(1)
  %c = pred[4,8]{1,0} parameter(2)
  %mean = f32[4]{0} parameter(3)
  %rows = f32[4,8]{1,0} broadcast(%mean), dimensions={0}
  %difference = f32[4,8]{1,0} subtract(%b, %rows)
  ROOT %select = f32[4,8]{1,0} select(%c, %a, %difference)
)"),
            "add/4x8_4x8");
  // Nothing of the result's size is read.
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", R"(  %a = f32[4]{0} parameter(0)
  %exp = f32[4]{0} exponential(%a)
  ROOT %rows = f32[4,8]{1,0} broadcast(%exp), dimensions={0}
)"),
            "copy/18_f1_t1");
  // Truth values are bytes: 32 of them are written, and 2 x 32 numbers read.
  EXPECT_EQ(problem_of("pred[4,8]{1,0}", R"(  %a = f32[4,8]{1,0} parameter(0)
  %b = f32[4,8]{1,0} parameter(1)
  ROOT %less = pred[4,8]{1,0} compare(%a, %b), direction=LT
)"),
            "copy/8_f1_t1");
  // A value that is used again and again is looked at once.
  std::string doubled = "  %x0 = f32[4,8]{1,0} parameter(0)\n";
  for (int i = 0; i < 60; ++i) {
    const std::string before = "%x" + std::to_string(i);
    doubled +=
        "  %x" + std::to_string(i + 1) + " = f32[4,8]{1,0} add(" + before + ", " + before + ")\n";
  }
  EXPECT_EQ(problem_of("f32[4,8]{1,0}", doubled), "relu/4x8");
}

TEST(JaxPointwise, MovementAndConversions) {
  const Part transpose = part_of(fusion("f32[8,4]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %t = f32[8,4]{0,1} transpose(%x), dimensions={1,0}
  ROOT %c = f32[8,4]{1,0} copy(%t)
)"));
  EXPECT_EQ(transpose.op, "Transpose");
  EXPECT_EQ(transpose.problem, "copy/32_f1_t1");
  const Part cast = part_of(fusion("bf16[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  ROOT %c = bf16[4,8]{1,0} convert(%x)
)"));
  EXPECT_EQ(cast.op, "Cast");
  EXPECT_EQ(cast.problem, "narrow/4x8");
}

TEST(JaxPointwise, PoolingWithChannelsAnywhere) {
  const std::string region = R"(%region {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}
)";
  const Part first = part_of(region + R"(ENTRY %main {
  %x = f32[1,64,112,112]{3,2,1,0} parameter(0)
  %low = f32[] constant(-inf)
  ROOT %call = f32[1,64,56,56]{3,2,1,0} reduce-window(%x, %low), window={size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x0_1x0_1}, to_apply=%region, metadata={op_name="x"}
})");
  EXPECT_EQ(first.op, "MaxPool");
  EXPECT_EQ(first.problem, "maxpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1");
  EXPECT_EQ(first.output, (Dims{1, 64, 56, 56}));
  EXPECT_FALSE(first.optional);
  const Part last = part_of(region + R"(ENTRY %main {
  %x = f32[2,8,6,64]{3,2,1,0} parameter(0)
  %low = f32[] constant(-inf)
  ROOT %call = f32[2,4,3,64]{3,2,1,0} reduce-window(%x, %low), window={size=1x2x3x1 stride=1x2x2x1 pad=0_0x0_0x1_0x0_0}, to_apply=%region
})");
  EXPECT_EQ(last.problem, "maxpool/2x64x8x6_k2x3_p0.1.0.0_s2x2_d1x1");
  EXPECT_EQ(last.output, (Dims{2, 64, 4, 3}));
}

TEST(JaxPointwise, PoolingBetweenConversions) {
  // XLA pools bf16 in floats on a GPU, and rounds what it compares.
  const Part part = part_of(R"(%region {
  %a = f32[] parameter(0)
  %a16 = bf16[] convert(%a)
  %b = f32[] parameter(1)
  %b16 = bf16[] convert(%b)
  %m = bf16[] maximum(%a16, %b16)
  ROOT %r = f32[] convert(%m)
}
)" + fusion("bf16[32,56,56,64]{3,2,1,0}", R"(  %x = bf16[32,112,112,64]{3,2,1,0} parameter(0)
  %wide = f32[32,112,112,64]{3,2,1,0} convert(%x)
  %low = f32[] constant(-inf)
  %pooled = f32[32,56,56,64]{3,2,1,0} reduce-window(%wide, %low), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=%region
  ROOT %y = bf16[32,56,56,64]{3,2,1,0} convert(%pooled)
)"));
  EXPECT_EQ(part.problem, "maxpool/32x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1");
}

TEST(JaxPointwise, AReductionWithWhatComesBefore) {
  const std::string region = R"(%region {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] add(%a, %b)
}
)";
  const Part part =
      part_of(region + fusion("f32[4,6]{1,0}", R"(  %x = f32[4,6,8]{2,1,0} parameter(0)
  %zero = f32[] constant(0)
  %exp = f32[4,6,8]{2,1,0} exponential(%x)
  ROOT %sum = f32[4,6]{1,0} reduce(%exp, %zero), dimensions={2}, to_apply=%region
)"));
  EXPECT_EQ(part.op, "ReduceSum");
  EXPECT_EQ(part.problem, "reducesum/4x6x8_a2");
  // x / sum(x) reads and writes as much as any elementwise call.
  EXPECT_EQ(part_of(region + fusion("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %zero = f32[] constant(0)
  %sum = f32[4]{0} reduce(%x, %zero), dimensions={1}, to_apply=%region
  %rows = f32[4,8]{1,0} broadcast(%sum), dimensions={0}
  ROOT %quotient = f32[4,8]{1,0} divide(%x, %rows)
)"))
                .problem,
            "relu/4x8");
}

TEST(JaxPointwise, ProductsSummedInOneComputationReadOnlyTheirFactors) {
  const std::string region = R"(%region {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] add(%a, %b)
}
)";
  const Part part = part_of(region + fusion("f32[4,6]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  %y = f32[6,8]{1,0} parameter(1)
  %xs = f32[4,6,8]{2,1,0} broadcast(%x), dimensions={0,2}
  %ys = f32[4,6,8]{2,1,0} broadcast(%y), dimensions={1,2}
  %xy = f32[4,6,8]{2,1,0} multiply(%xs, %ys)
  %zero = f32[] constant(0)
  ROOT %sum = f32[4,6]{1,0} reduce(%xy, %zero), dimensions={2}, to_apply=%region
)"));
  EXPECT_EQ(part.problem, "copy/24_f1_t1");
}

TEST(JaxPointwise, WindowsThatAreNoPooling) {
  const auto parts_of = [](const std::string& window) {
    const jax::Program program(R"(%region {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] add(%a, %b)
}
ENTRY %main {
  %x = f32[2,128,64]{2,1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %call = f32[2,128,64]{2,1,0} reduce-window(%x, %zero), window={)" +
                               window + "}, to_apply=%region\n}\n");
    return program.parts("call");
  };
  EXPECT_THAT(parts_of("size=1x3x1 pad=0_0x1_1x0_0"), SizeIs(1));
  EXPECT_THAT(parts_of("size=1x128x1 pad=0_0x127_0x0_0"), IsEmpty()) << "a running sum";
  EXPECT_THAT(parts_of("size=1x3x1 stride=1x0x1"), IsEmpty());
  EXPECT_THAT(parts_of("size=1x3"), IsEmpty());
}

TEST(JaxPointwise, NothingElse) {
  const jax::Program program(fusion("f32[4,8]{1,0}", R"(  %x = f32[4,8]{1,0} parameter(0)
  ROOT %sort = f32[4,8]{1,0} sort(%x), dimensions={1}, to_apply=%less
)") + "%other {\n  %p = f32[4]{0} parameter(0)\n}\n");
  EXPECT_THAT(program.parts("call"), IsEmpty());
  EXPECT_THAT(program.parts("p"), IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
