#include <gtest/gtest.h>

#include <string>

#include "suites/harness/primitive.h"
#include "suites/harness/run/runner.h"
#include "suites/onednn/backend.h"
#include "suites/onednn/ways/planned_call.h"
#include "suites/tests/asked.h"
#include "suites/tests/onednn/support.h"
#include "suites/verify/verification_cases.h"

/// Checks the memory order, which verification cannot: it converts values from any layout.
namespace benanza::onednn {
namespace {

constexpr const char* keys[] = {
    "conv/2x16x13x11_k24x3x3_p1.1.1.1_s1x1_d1x1_g1_bias",
    "conv/2x16x13_k24x3_p1.1_s1_d1_g2",
    "conv/2x16x5x3_k24x1x1_p0.0.0.0_s1x1_d1x1_g1_bias",
    "conv/2x16x5x3_k24x5x3_p0.0.0.0_s1x1_d1x1_g1",
    "conv/2x16x12x8_k24x4x4_p0.0.0.0_s4x4_d1x1_g1",
    "avgpool/2x16x5x5_k5x5_p0.0.0.0_s1x1_d1x1_exclude",
    "gemm/m7_n5_k13_nn",
    "gemm/m7_n5_k13_tt_bias",
    "gemm/m7_n5_k13_nt_a2x3_b2x3",
    "gemm/m7_n5_k13_tn_a4x1_b1x6",
    "gemm/m7_n5_k13_nn_a2x3_b1x1_w",
    "maxpool/2x16x5x6x7_k3x3x3_p1.1.1.1.1.1_s1x1x1_d1x1x1",
    "batchnorm/2x16x13x11_e1e-05",
    "relu/2x16x5",
    "relu/2x16",
    "add/2x16x5x5_2x16x5x5",
    "add/2x16x5x5_1x16x1x1",
    "add/2x16x5x5_1x1x5x5",
    "prelu/2x16x5x5_1x16x1x1_w",
    "softmax/3x10x7_a1",
    "lrn/2x16x13x11_n5_a1e-04_b0.75_k1",
    "reducemean/3x7x5x4_a1",
    "concat/1x16x5x5_1x8x5x5_a1",
    "copy/16x9x9_f81.9.1_t1.144.16",
    "copy/5x6_f7.1_t20.3",
};

struct View {
  Dims dims;
  Dims strides;
  Dims blocks;
  Dims blocked_axes;
};

View view(const Memory::desc& format) {
  const api::Blocking blocking = api::blocking(format);
  return {api::dims(format), blocking.strides, blocking.blocks, blocking.blocked_axes};
}

/// The strides of the axes longer than 1; all others have no meaning.
Dims meaningful_strides(const View& v) {
  Dims strides;
  for (std::size_t axis = 0; axis < v.dims.size(); ++axis) {
    if (v.dims[axis] > 1) strides.push_back(v.strides[axis]);
  }
  return strides;
}

/// Calls check(values, memory) for the result and every operand that changes with each inference.
template <class Check>
int for_each_tensor(Layout layout, Check check) {
  const auto backend = make_backend();
  int count = 0;
  for (const char* key : keys) {
    for (const harness::Variant& variant :
         variants(*backend, key, Precision::fp32, harness::AlgorithmSet::with_reference)) {
      if (variant.layout != layout) continue;
      const auto made = harness::made(*backend, variant);
      const auto& primitive = dynamic_cast<const PlannedCall&>(*made);
      const auto look = [&](const Formats& formats, const char* what) {
        SCOPED_TRACE(name_of(variant) + ' ' + what);
        check(variant.problem, view(formats.values), view(formats.in_library));
        ++count;
      };
      const std::vector<Operand> operands = inputs(variant.problem);
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].role == Role::data) look(primitive.operand_formats(i), "operand");
      }
      look(primitive.result_formats(), "result");
    }
  }
  return count;
}

TEST(OnednnLayout, NchwAndPlainAreTheProblemsOwnOrder) {
  const auto same = [](const Problem&, const View& values, const View& memory) {
    EXPECT_EQ(memory.dims, values.dims);
    EXPECT_EQ(meaningful_strides(memory), meaningful_strides(values));
    EXPECT_TRUE(memory.blocks.empty());
  };
  EXPECT_GT(for_each_tensor(Layout::nchw, same), 10);
  EXPECT_GT(for_each_tensor(Layout::plain, same), 10);
}

TEST(OnednnLayout, NhwcHasItsChannelsTogether) {
  const auto channels_last = [](const Problem&, const View& values, const View& memory) {
    EXPECT_EQ(memory.dims, values.dims);
    EXPECT_TRUE(memory.blocks.empty());
    const std::int64_t channels = memory.dims[1];
    EXPECT_TRUE(channels == 1 || memory.strides[1] == 1);
    EXPECT_EQ(memory.strides.back(), channels);
    if (memory.dims.size() > 3 && memory.dims[3] > 1) {
      EXPECT_EQ(memory.strides[2], memory.strides[3] * memory.dims[3]);
    }
  };
  EXPECT_GT(for_each_tensor(Layout::nhwc, channels_last), 10);
}

TEST(OnednnLayout, AnyIsBlocksOfChannelsOrTheConvolutionsChoice) {
  const auto blocked = [](const Problem& problem, const View& values, const View& memory) {
    EXPECT_EQ(memory.dims, values.dims);
    if (std::holds_alternative<Convolution>(problem.shape)) return;
    EXPECT_EQ(memory.blocked_axes, (Dims{1}));
    ASSERT_EQ(memory.blocks.size(), 1U);
    EXPECT_TRUE(memory.blocks[0] == 8 || memory.blocks[0] == 16);
  };
  EXPECT_GT(for_each_tensor(Layout::any, blocked), 10);
}

TEST(OnednnLayout, BlocksOfOnePixelAreRows) {
  const auto name = [](const Dims& dims) {
    const Memory::desc blocks(dims, Memory::data_type::f32, Memory::format_tag::nChw8c);
    return memory_format({.in_library = blocks, .values = floats(dims)}).name;
  };
  EXPECT_EQ(name({2, 16, 1, 1}), "");
  EXPECT_NE(name({2, 16, 2, 1}), "");
  EXPECT_NE(name({2, 12, 1, 1}), "") << "the second block has four elements of padding";
}

TEST(OnednnLayout, ARowSaysItsFormatsWhereTheLibraryChooses) {
  const auto backend = make_backend();
  const auto facts = [&](const std::string& key, Layout layout) {
    harness::Variant variant{parse(key), Precision::fp32, layout, ""};
    variant.algorithm = backend->ways(variant, harness::AlgorithmSet::best).front().name;
    const harness::Outcome outcome =
        harness::run_variant(*backend, variant, verify::verifier(), {.budget_seconds = 1e-3});
    EXPECT_EQ(outcome.reason, "");
    return outcome.facts;
  };
  EXPECT_FALSE(facts("relu/2x16x3x3", Layout::nchw).contains("operand_formats"));
  const Facts last = facts("relu/2x16x3x3", Layout::nhwc);
  EXPECT_EQ(std::get<std::string>(last.at("operand_formats")), "2x16x3x3:s144.1.48.16");
  EXPECT_EQ(last.at("result_formats"), last.at("operand_formats"));
  EXPECT_FALSE(last.contains("constant_bytes"));
  // Weights of 17 channels, in blocks of 8 or 16 of them, or plain where only im2col and a product
  // can take them.
  const Facts padded = facts("conv/1x16x16x16_k17x3x3_p1.1.1.1_s1x1_d1x1_g1", Layout::any);
  if (std::get<std::string>(padded.at("operand_formats")).ends_with(",row-major")) {  // SSE 4.1
    EXPECT_FALSE(padded.contains("constant_bytes"));
  } else {
    EXPECT_GE(std::get<double>(padded.at("constant_bytes")), 4.0 * 24 * 16 * 9);
  }
  const Facts blocks = facts("maxpool/2x16x1x1_k1x1_p0.0.0.0_s1x1_d1x1", Layout::any);
  EXPECT_EQ(std::get<std::string>(blocks.at("result_formats")), "row-major");
}

TEST(OnednnSetting, AttributesAreStrictAndCountScratchMemory) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const VariantContext context(engine, Precision::fp32, Layout::plain);
  EXPECT_EQ(context.attributes().get_fpmath_mode(), dnnl::fpmath_mode::strict);
  EXPECT_EQ(context.attributes().get_scratchpad_mode(), dnnl::scratchpad_mode::user);
}

}  // namespace
}  // namespace benanza::onednn
