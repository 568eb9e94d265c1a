// Profiles of JAX.
#include <gmock/gmock.h>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A small network as XLA of JAX 0.10 writes it for a CPU; shortened.
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

// A network as XLA of JAX 0.11 writes it for an H200; shortened.
const std::string gpu_text = R"(HloModule jit_f, is_scheduled=true

%gemm_fusion_dot_computation (parameter_0: f32[8,256,1568], parameter_1: f32[256,1568,256]) -> f32[256,8,256] {
  %parameter_1 = f32[256,1568,256]{2,1,0} parameter(1), metadata={scheduling_name="parameter_1"}
  %parameter_0 = f32[8,256,1568]{2,1,0} parameter(0), metadata={scheduling_name="parameter_0"}
  %dot.2 = f32[256,256,8]{1,2,0} dot(%parameter_1, %parameter_0), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={1}, rhs_contracting_dims={2}, metadata={op_name="jit(f)/dot_general" scheduling_name="dot.2" stack_frame_id=6}, backend_config={"sizes":["32"]}
  ROOT %bitcast.17 = f32[256,8,256]{2,1,0} bitcast(%dot.2), metadata={op_name="jit(f)/dot_general" scheduling_name="bitcast.17" stack_frame_id=6}
}

%fused_pad (param_0.8: f32[8,224,224,3]) -> f32[8,225,225,3] {
  %param_0.8 = f32[8,224,224,3]{3,2,1,0} parameter(0), metadata={scheduling_name="param_0.8"}
  %constant_11_4 = f32[] constant(0)
  ROOT %pad.3 = f32[8,225,225,3]{3,2,1,0} pad(%param_0.8, %constant_11_4), padding=0_0x0_1x0_1x0_0, metadata={op_name="x" scheduling_name="pad.3"}
}

ENTRY %main.5 (x.1: f32[8,224,224,3]) -> f32[8,256] {
  %x.1 = f32[8,224,224,3]{3,2,1,0} parameter(0), metadata={op_name="x" scheduling_name="x.1"}
  %loop_pad_fusion = f32[8,225,225,3]{3,2,1,0} fusion(%x.1), kind=kLoop, calls=%fused_pad, metadata={op_name="x" scheduling_name="loop_pad_fusion"}, backend_config={"operation_queue_id":"0"}
  %constant_13_0 = f32[64,3,3,3]{3,2,1,0} constant({...})
  %cudnn-conv-bias-activation.4 = (f32[8,112,112,64]{3,2,1,0}, u8[4866928]{0}) custom-call(%loop_pad_fusion, %constant_13_0, %loop_broadcast_fusion), window={size=3x3 stride=2x2}, dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$convBiasActivationForward", metadata={op_name="jit(f)/conv_general_dilated" stack_frame_id=7}, backend_config={"cudnn_conv_backend_config":{"activation_mode":"kRelu","algorithm":{"algo_id":"33"}}}
  %get-tuple-element.6 = f32[8,112,112,64]{3,2,1,0} get-tuple-element(%cudnn-conv-bias-activation.4), index=0, metadata={op_name="jit(f)/conv_general_dilated"}
  %cudnn-conv-bw-filter.1 = (f32[64,3,3,3]{3,2,1,0}, u8[0]{0}) custom-call(%loop_pad_fusion, %get-tuple-element.6), window={size=3x3 stride=2x2}, dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$convBackwardFilter", backend_config={}
  %cudnn-conv-bw-input.1 = (f32[8,224,224,3]{3,2,1,0}, u8[0]{0}) custom-call(%get-tuple-element.6, %constant_13_0), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$convBackwardInput", backend_config={}
  %a = bf16[8,2048]{1,0} parameter(1)
  %b = bf16[1000,2048]{1,0} parameter(2)
  %custom-call.3 = (bf16[8,1000]{1,0}, s8[4194304]{0}) custom-call(%a, %b), custom_call_target="__cublas$lt$matmul", backend_config={"operation_queue_id":"0","gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"epilogue":"DEFAULT"}}
  %custom-call.4 = f32[8,8]{1,0} custom-call(%a), custom_call_target="Sharding"
  %gemm_fusion_dot = f32[256,8,256]{2,1,0} fusion(%bitcast.16.0, %bitcast.15.0), kind=kCustom, calls=%gemm_fusion_dot_computation, backend_config={"operation_queue_id":"0"}
}
)";

std::string only_problem(const jax::Program& program, const std::string& name) {
  const auto parts = program.parts(name);
  return parts.size() == 1 ? parts[0].problem : std::to_string(parts.size()) + " parts";
}

TEST(JaxProgram, CallsOfLibrariesHaveWhatTheyDoToTheirResult) {
  const auto conv = [](const std::string& operands, const std::string& target,
                       const std::string& settings) {
    const std::string head = R"(ENTRY %main {
  %x = bf16[32,56,56,64]{3,2,1,0} parameter(0)
  %w = bf16[256,1,1,64]{3,2,1,0} parameter(1)
  %b = bf16[256]{0} parameter(2)
  %r = bf16[32,56,56,256]{3,2,1,0} parameter(3)
  %y = (bf16[32,56,56,256]{3,2,1,0}, u8[0]{0}) custom-call()";
    return only_problem(
        jax::Program(head + operands +
                     "), window={size=1x1}, dim_labels=b01f_o01i->b01f, "
                     "custom_call_target=\"" +
                     target + "\", backend_config={\"cudnn_conv_backend_config\":{" + settings +
                     "}}\n}\n"),
        "y");
  };
  const std::string fused = "__cudnn$convBiasActivationForward";
  const std::string key = "conv/32x64x56x56_k256x1x1_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_EQ(conv("%x, %w, %b", fused,
                 R"("activation_mode":"kRelu","leakyrelu_alpha":0,"side_input_scale":0)"),
            key + "_bias_relu");
  EXPECT_EQ(conv("%x, %w, %b, %r", fused,
                 R"("activation_mode":"kRelu","leakyrelu_alpha":0,"side_input_scale":1)"),
            key + "_bias_residual_relu");
  EXPECT_EQ(conv("%x, %w, %b", fused,
                 R"("activation_mode":"kLeakyRelu","leakyrelu_alpha":0.25,"side_input_scale":0)"),
            key + "_bias_leakyrelu_a0.25");
  EXPECT_EQ(conv("%x, %w", "__cudnn$convForward", R"("activation_mode":"kNone")"), key);

  const auto product = [](const std::string& settings) {
    return only_problem(jax::Program(R"(ENTRY %main {
  %a = bf16[8,2048]{1,0} parameter(0)
  %b = bf16[1000,2048]{1,0} parameter(1)
  %y = (bf16[8,1000]{1,0}, s8[0]{0}) custom-call(%a, %b, %bias), custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},)" +
                                     settings + "}}\n}\n"),
                        "y");
  };
  EXPECT_EQ(product(R"("beta":0,"epilogue":"BIAS_RELU")"), "gemm/m8_n1000_k2048_nt_bias_relu");
  EXPECT_EQ(product(R"("beta":1,"epilogue":"DEFAULT")"), "gemm/m8_n1000_k2048_nt_residual");
}

TEST(JaxProgram, GradientsOfAStridedConvolutionsInput) {
  // Of 4x32x32x32 with 64 filters of 3x3, stride 2, padded by 1.
  const jax::Program program(R"(ENTRY %main {
  %dy = f32[4,16,16,64]{3,2,1,0} parameter(0)
  %w = f32[3,3,64,32]{3,2,1,0} parameter(1)
  ROOT %dx = f32[4,32,32,32]{3,2,1,0} convolution(%dy, %w), window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f
})");
  const auto parts = program.parts("dx");
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].op, "ConvTranspose");
  EXPECT_EQ(parts[0].problem, "deconv/4x64x16x16_k32x3x3_p1.1.0.0_s2x2_d1x1_g1");
  EXPECT_THAT(parts[0].output, ElementsAre(4, 32, 32, 32));
}

TEST(JaxProgram, FilterGradientsOnAProcessor) {
  // Of 4x32x32x32 with 64 filters of 3x3, stride 2, padded by 1, and of a 1x1 with stride 2.
  const jax::Program program(R"(ENTRY %main {
  %x = f32[32,32,32,4]{3,2,1,0} parameter(0)
  %dy = f32[16,16,4,64]{3,2,1,0} parameter(1)
  %dw = f32[32,3,3,64]{3,2,1,0} convolution(%x, %dy), window={size=16x16 pad=1_0x1_0 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, metadata={op_name="jit(step)/transpose(jvp())/conv_general_dilated"}
  %z = f32[64,16,16,4]{3,2,1,0} parameter(2)
  %dv = f32[8,8,4,128]{3,2,1,0} parameter(3)
  %dp = f32[64,1,1,128]{3,2,1,0} convolution(%z, %dv), window={size=8x8 pad=0_-1x0_-1 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, metadata={op_name="jit(step)/transpose(jvp())/conv_general_dilated"}
  ROOT %large = f32[32,3,3,64]{3,2,1,0} convolution(%x, %dy), window={size=16x16 pad=1_0x1_0 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, metadata={op_name="jit(step)/conv_general_dilated"}
})");
  EXPECT_EQ(only_problem(program, "dw"),
            "conv_bwd_filter/4x32x32x32_k64x3x3_p1.1.0.0_s2x2_d1x1_g1");
  EXPECT_EQ(only_problem(program, "dp"),
            "conv_bwd_filter/4x64x16x16_k128x1x1_p0.0.0.0_s2x2_d1x1_g1");
  // Nothing says that it is a gradient.
  EXPECT_THAT(only_problem(program, "large"), testing::StartsWith("conv/32x4x32x32"));
}

TEST(JaxProgram, CallsOfLibrariesOnAGpu) {
  const jax::Program program(gpu_text);
  // The preceding fusion pads the image by a row and a column at the end.
  EXPECT_EQ(only_problem(program, "cudnn-conv-bias-activation.4"),
            "conv/8x3x224x224_k64x3x3_p0.0.1.1_s2x2_d1x1_g1_bias_relu");
  EXPECT_THAT(program.parts("cudnn-conv-bias-activation.4")[0].output,
              ElementsAre(8, 64, 112, 112));
  EXPECT_EQ(only_problem(program, "cudnn-conv-bw-filter.1"),
            "conv_bwd_filter/8x3x224x224_k64x3x3_p0.0.1.1_s2x2_d1x1_g1");
  // 111 * 2 + 3 = 225 pixels are reached, one more than exist: an end pad of 1 in both dimensions.
  EXPECT_EQ(only_problem(program, "cudnn-conv-bw-input.1"),
            "deconv/8x64x112x112_k3x3x3_p0.0.1.1_s2x2_d1x1_g1");
  EXPECT_THAT(program.parts("cudnn-conv-bw-input.1")[0].output, ElementsAre(8, 3, 224, 224));
  EXPECT_EQ(only_problem(program, "custom-call.3"), "gemm/m8_n1000_k2048_nt");
  EXPECT_THAT(program.parts("custom-call.3")[0].output, ElementsAre(8, 1000));
  EXPECT_THAT(program.parts("custom-call.4"), IsEmpty());
  const auto padding = program.parts("loop_pad_fusion");
  ASSERT_THAT(padding, SizeIs(1));
  EXPECT_EQ(padding[0].op, "Copy");
  EXPECT_TRUE(padding[0].optional);
}

TEST(JaxProgram, ProductsWhoseBatchIsNotInFront) {
  // A Triton kernel, split into 256 parts of the sum.
  EXPECT_EQ(only_problem(jax::Program(gpu_text), "gemm_fusion_dot"),
            "gemm/m256_n8_k1568_tt_a256_b256");
}

TEST(JaxProfile, OfAGpuHasTheTimesOfItsKernels) {
  const test::Folder folder;
  folder.write("net.hlo.txt", gpu_text);
  nlohmann::json events = nlohmann::json::array();
  events.push_back(
      {{"ph", "M"}, {"pid", 1}, {"name", "process_name"}, {"args", {{"name", "/device:GPU:0"}}}});
  const auto add = [&](int process, const char* name, double start, double duration,
                       nlohmann::json details) {
    events.push_back({{"ph", "X"},
                      {"pid", process},
                      {"tid", 14},
                      {"ts", start},
                      {"dur", duration},
                      {"name", name},
                      {"args", std::move(details)}});
  };
  const nlohmann::json convolution{{"hlo_op", "cudnn-conv-bias-activation.4"},
                                   {"hlo_module", "jit_f"}};
  for (int step = 0; step < 3; ++step) {
    const double start = step * 1000.0;
    add(701, "step", start, 900, {{"step_num", std::to_string(step)}});
    // Host time around the launch: not GPU time.
    add(701, "cudnn-conv-bias-activation.4", start + 5, 130, nlohmann::json::object());
    add(1, "void cudnn::engines_precompiled::convertTensor_kernel<float>(float)", start + 10, 5,
        convolution);
    // Launched 3 us after the kernel before it has ended.
    add(701, "launch", start + 18, 1, {{"correlation_id", std::to_string(step)}});
    nlohmann::json launched = convolution;
    launched["correlation_id"] = std::to_string(step);
    add(1, "sm80_xmma_fprop", start + 20, 15 + step, launched);
  }
  folder.write("net.trace.json", nlohmann::json{{"traceEvents", events}}.dump());
  const auto file = folder.write("net.json", nlohmann::json{{"schema", 1},
                                                            {"framework", "jax"},
                                                            {"version", "0.11.2"},
                                                            {"model", "net"},
                                                            {"batch", 8},
                                                            {"precision", "tf32"},
                                                            {"device", "NVIDIA H200"},
                                                            {"latency_seconds", {1e-3}},
                                                            {"hlo", "net.hlo.txt"},
                                                            {"trace", "net.trace.json"}}
                                                 .dump());
  const Profile profile = read_profile(file);
  ASSERT_THAT(profile.nodes, SizeIs(1));
  EXPECT_EQ(profile.nodes[0].op, "Conv");
  EXPECT_NEAR(profile.nodes[0].seconds, 21e-6, 1e-12);
  ASSERT_THAT(profile.nodes[0].kernels, SizeIs(2));
  EXPECT_EQ(profile.nodes[0].kernels[1].name, "sm80_xmma_fprop");
  EXPECT_NEAR(profile.nodes[0].kernels[1].seconds, 15e-6, 1e-12);
  ASSERT_TRUE(profile.timeline);
  EXPECT_NEAR(profile.timeline->busy_seconds, 21e-6, 1e-12);
  EXPECT_NEAR(profile.timeline->span_seconds, 36e-6, 1e-12) << "to the end of the last kernel";
  EXPECT_NEAR(profile.timeline->host_bound_seconds, 3e-6, 1e-12);
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
