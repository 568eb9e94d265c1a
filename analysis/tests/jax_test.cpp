// Profiles of JAX.
#include <gmock/gmock.h>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// As XLA of JAX 0.10 writes a small network for a CPU; shortened.
const std::string text = R"(HloModule jit_net, is_scheduled=true

%fused_computation.1 (param_0.4: f32[2048,64], param_1.5: f32[4,8,32,32]) -> f32[4,64] {
  %param_1.5 = f32[4,8,32,32]{3,2,1,0} parameter(1)
  %bitcast.3 = f32[4,2048]{1,0} bitcast(%param_1.5), metadata={op_name="jit(net)/max" stack_frame_id=2}
  %param_0.4 = f32[2048,64]{1,0} parameter(0)
  ROOT %dot_general.1 = f32[4,64]{1,0} dot(%bitcast.3, %param_0.4), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(net)/dot_general"}
}

ENTRY %main.6 (p__w1__.1: f32[2048,64], x.1: f32[4,3,32,32]) -> f32[4,64] {
  %x.1 = f32[4,32,32,6]{3,2,1,0} parameter(6), metadata={op_name="x"}
  %w = f32[3,5,3,8]{3,2,1,0} parameter(2)
  %p__w1__.1 = f32[2048,64]{1,0} parameter(4)
  %convolution = f32[4,16,32,8]{3,2,1,0} convolution(%x.1, %w), window={size=3x5 stride=2x1 pad=1_0x2_2 rhs_dilate=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=2, metadata={op_name="jit(net)/conv_general_dilated"}
  %ynn_fusion.1 = f32[4,64]{1,0} fusion(%p__w1__.1, %convolution), kind=kCustom, calls=%fused_computation.1, metadata={op_name="jit(net)/dot_general"}
  %tuple.1 = (f32[4,64]{1,0}, f32[]) tuple(%ynn_fusion.1, %constant)
  %a = bf16[7,5,4,3]{3,2,1,0} parameter(0)
  %b = bf16[7,5,2,3]{3,2,1,0} parameter(1)
  %batched = bf16[7,5,4,2]{3,2,1,0} dot(bf16[7,5,4,3]{3,2,1,0} %a, bf16[7,5,2,3]{3,2,1,0} %b), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  %transposed = f32[4,7,5,4]{3,2,1,0} dot(%a, %b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}
  %gradient = f32[4,32,32,6]{3,2,1,0} convolution(%convolution, %w), window={size=3x5 pad=1_1x2_2 lhs_dilate=2x1}, dim_labels=b01f_01oi->b01f
  ROOT %broadcast_multiply_fusion = f32[4,10]{1,0} fusion(%ynn_fusion.1), kind=kLoop, calls=%fused_computation.3
}
)";

TEST(JaxProgram, ConvolutionsHaveTheirShapes) {
  const jax::Program program(text);
  const auto parts = program.parts("convolution");
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].op, "Conv");
  EXPECT_EQ(parts[0].problem, "conv/4x6x32x32_k8x3x5_p1.2.0.2_s2x1_d1x1_g2");
  EXPECT_THAT(parts[0].output, ElementsAre(4, 8, 16, 32));
  const auto gradient = program.parts("gradient");
  ASSERT_THAT(gradient, SizeIs(1));
  EXPECT_EQ(gradient[0].problem, "");
}

TEST(JaxProgram, ProductsInsideOfFusionsAndWithBatches) {
  const jax::Program program(text);
  const auto fused = program.parts("ynn_fusion.1");
  ASSERT_THAT(fused, SizeIs(1));
  EXPECT_EQ(fused[0].op, "MatMul");
  EXPECT_EQ(fused[0].problem, "gemm/m4_n64_k2048_nn");
  const auto batched = program.parts("batched");
  ASSERT_THAT(batched, SizeIs(1));
  EXPECT_EQ(batched[0].problem, "gemm/m4_n2_k3_nt_a7x5_b7x5");
  ASSERT_THAT(program.parts("transposed"), SizeIs(1));
  EXPECT_EQ(program.parts("transposed")[0].problem, "");
  EXPECT_THAT(program.parts("broadcast_multiply_fusion"), IsEmpty());
  EXPECT_THAT(program.parts("nothing"), IsEmpty());
}

TEST(JaxProfile, TimesAreMediansOverTheSteps) {
  const test::Folder folder;
  folder.write("net.hlo.txt", text);
  const auto run = [](const char* op, double start, double duration) {
    return nlohmann::json{{"ph", "X"},   {"pid", 7},
                          {"ts", start}, {"dur", duration},
                          {"name", op},  {"args", {{"hlo_op", op}, {"hlo_module", "jit_net"}}}};
  };
  nlohmann::json events = nlohmann::json::array();
  for (int step = 0; step < 3; ++step) {
    events.push_back({{"ph", "X"},
                      {"pid", 7},
                      {"ts", step * 1000.0},
                      {"dur", 900.0},
                      {"name", "step"},
                      {"args", {{"step_num", std::to_string(step)}}}});
    events.push_back(run("convolution", step * 1000.0 + 10, 100 + 10 * step));
    events.push_back(run("ynn_fusion.1", step * 1000.0 + 300, 40));
  }
  events.push_back(run("convolution", 5000, 1e6));  // outside of every step
  folder.write("net.trace.json", nlohmann::json{{"traceEvents", events}}.dump());
  const auto file = folder.write("net.json", nlohmann::json{{"schema", 1},
                                                            {"framework", "jax"},
                                                            {"version", "0.10.2"},
                                                            {"model", "net"},
                                                            {"batch", 4},
                                                            {"precision", "fp32"},
                                                            {"device", "cpu"},
                                                            {"latency_seconds", {1e-3, 2e-3}},
                                                            {"hlo", "net.hlo.txt"},
                                                            {"trace", "net.trace.json"}}
                                                 .dump());
  const Profile profile = read_profile(file);
  EXPECT_EQ(profile.framework, "jax");
  EXPECT_EQ(profile.batch, 4);
  EXPECT_EQ(profile.steps, 3);
  ASSERT_THAT(profile.nodes, SizeIs(2));
  EXPECT_EQ(profile.nodes[0].name, "convolution");
  EXPECT_EQ(profile.nodes[0].op, "Conv");
  EXPECT_NEAR(profile.nodes[0].seconds, 110e-6, 1e-12);
  EXPECT_NEAR(profile.nodes[1].seconds, 40e-6, 1e-12);
  EXPECT_THAT(profile.nodes[0].kernels, IsEmpty());
  EXPECT_THAT(profile.remarks, IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
