#include <gmock/gmock.h>

#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/kineto/aten.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::Folder;
using test::profile_of;
using test::TraceWriter;
using test::us;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> names(const Profile& profile) {
  std::vector<std::string> list;
  for (const ProfiledNode& node : profile.nodes) list.push_back(node.name);
  return list;
}

/// The problem key of a trace's only operator.
std::string problem(const std::string& name, const std::vector<std::vector<int>>& dims,
                    const std::vector<std::string>& values) {
  const Profile profile = profile_of(TraceWriter().op(name, dims, values, {{"k", 1}}));
  return profile.nodes.at(0).parts.at(0).problem;
}

TEST(PyTorch, OperatorsHaveTheKeysOfTheirProblems) {
  EXPECT_EQ(problem("aten::conv2d", {{1, 3, 224, 224}, {64, 3, 7, 7}, {}},
                    {"[2, 2]", "[3, 3]", "[1, 1]", "1"}),
            "conv/1x3x224x224_k64x7x7_p3.3.3.3_s2x2_d1x1_g1");
  EXPECT_EQ(problem("aten::convolution", {{2, 32, 14, 14}, {32, 1, 3, 3}, {}},
                    {"[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "32"}),
            "conv/2x32x14x14_k32x3x3_p1.1.1.1_s1x1_d1x1_g32");
  EXPECT_EQ(problem("aten::cudnn_convolution", {{1, 64, 56, 56}, {64, 64, 3, 3}},
                    {"[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"}),
            "conv/1x64x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g1");
  // Output padding 1 reduces the end pad by one.
  EXPECT_EQ(problem("aten::convolution", {{1, 64, 7, 7}, {64, 32, 3, 3}, {}},
                    {"[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "1"}),
            "deconv/1x64x7x7_k32x3x3_p1.1.0.0_s2x2_d1x1_g1");
  EXPECT_EQ(problem("aten::batch_norm", {{1, 64, 56, 56}, {64}, {64}, {64}, {64}},
                    {"False", "0.10000000000000001", "1.0000000000000001e-05", "True"}),
            "batchnorm/1x64x56x56_e1e-05");
  EXPECT_EQ(problem("aten::relu_", {{1, 64, 56, 56}}, {}), "relu/1x64x56x56");
  EXPECT_EQ(problem("aten::hardtanh_", {{1, 32, 8, 8}}, {"0.", "6."}), "clip/1x32x8x8_a0_b6");
  EXPECT_EQ(problem("aten::max_pool2d", {{1, 64, 112, 112}},
                    {"[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"}),
            "maxpool/1x64x112x112_k3x3_p1.1.1.1_s2x2_d1x1");
  // Without a stride, the kernel's extents count. Rounded up, 3x3 windows of stride 2 over 112 end
  // one pixel outside.
  EXPECT_EQ(
      problem("aten::max_pool2d", {{1, 64, 56, 56}}, {"[2, 2]", "[]", "[0, 0]", "[1, 1]", "False"}),
      "maxpool/1x64x56x56_k2x2_p0.0.0.0_s2x2_d1x1");
  EXPECT_EQ(problem("aten::max_pool2d", {{1, 64, 112, 112}},
                    {"[3, 3]", "[2, 2]", "[0, 0]", "[1, 1]", "True"}),
            "maxpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1");
  EXPECT_EQ(problem("aten::avg_pool2d", {{1, 8, 6, 6}},
                    {"[2, 2]", "[2, 2]", "[0, 0]", "False", "True", ""}),
            "avgpool/1x8x6x6_k2x2_p0.0.0.0_s2x2_d1x1_exclude");
  EXPECT_EQ(problem("aten::adaptive_avg_pool2d", {{1, 2048, 7, 7}}, {"[1, 1]"}),
            "avgpool/1x2048x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude");
  EXPECT_EQ(problem("aten::linear", {{1, 128, 768}, {3072, 768}, {3072}}, {}),
            "gemm/m128_n3072_k768_nt_w");
  EXPECT_EQ(problem("aten::addmm", {{1000}, {1, 2048}, {2048, 1000}}, {"1", "1"}),
            "gemm/m1_n1000_k2048_nn");
  EXPECT_EQ(problem("aten::bmm", {{12, 128, 64}, {12, 64, 128}}, {}),
            "gemm/m128_n128_k64_nn_a12_b12");
  EXPECT_EQ(problem("aten::add_", {{1, 256, 56, 56}, {1, 256, 56, 56}}, {"1"}),
            "add/1x256x56x56_1x256x56x56");
  EXPECT_EQ(problem("aten::softmax", {{1, 12, 128, 128}}, {"-1", ""}), "softmax/1x12x128x128_a3");
  EXPECT_EQ(problem("aten::mean", {{1, 2048, 7, 7}}, {"[-1, -2]", "True", ""}),
            "reducemean/1x2048x7x7_a2.3");
  EXPECT_EQ(problem("aten::sum", {{8, 64}}, {"6"}), "reducesum/8x64_a0.1")
      << "the type of the result";
}

TEST(PyTorch, OperatorsOnOtherTypesHaveNoKey) {
  const auto product = [](const std::string& type) {
    const kineto::Argument matrix{.dims = {8, 8}, .type = type};
    return kineto::parts_of({.name = "aten::mm", .arguments = {matrix, matrix}}).at(0).problem;
  };
  for (const char* type : {"float", "c10::Half", "c10::BFloat16"}) {
    EXPECT_EQ(product(type), "gemm/m8_n8_k8_nn") << type;
  }
  for (const char* type : {"double", "c10::complex<float>", "long int", "bool"}) {
    EXPECT_EQ(product(type), "") << type;
  }
}

// As transformers' caches begin.
TEST(PyTorch, AConcatenationLeavesOutEmptyVectors) {
  const kineto::Argument tensors{.list = {{0}, {1, 8, 2, 4}, {1, 8, 3, 4}}, .type = "TensorList"};
  const kineto::Argument axis{.type = "Scalar", .value = "-2"};
  const kineto::Op op{.name = "aten::cat", .arguments = {tensors, axis}};
  EXPECT_EQ(kineto::parts_of(op).at(0).problem, "concat/1x8x2x4_1x8x3x4_a2");
}

TEST(PyTorch, NoPoolingWindowBeginsBehindTheInput) {
  // 5 pixels, one pad on each side, stride 2: windows start at 0, 2 and 4 of 7. A fourth, at 6,
  // would start after the fifth pixel: PyTorch, like ONNX, makes 3x3 of 5x5.
  EXPECT_EQ(
      problem("aten::max_pool2d", {{1, 1, 5, 5}}, {"[2, 2]", "[2, 2]", "[1, 1]", "[1, 1]", "True"}),
      "maxpool/1x1x5x5_k2x2_p1.1.1.1_s2x2_d1x1");
  // 2 pixels and 2 pads: windows of 1 would start at 0 and 3 of 4, the second after the input.
  EXPECT_EQ(
      problem("aten::max_pool2d", {{1, 1, 2, 2}}, {"[1, 1]", "[3, 3]", "[1, 1]", "[1, 1]", "True"}),
      "maxpool/1x1x2x2_k1x1_p1.1.0.0_s3x3_d1x1");
  EXPECT_EQ(problem("aten::avg_pool2d", {{1, 1, 5, 5}},
                    {"[2, 2]", "[2, 2]", "[1, 1]", "True", "True", ""}),
            "avgpool/1x1x5x5_k2x2_p1.1.1.1_s2x2_d1x1_include");
}

TEST(PyTorch, CountedPadsBesideAnOverhangAreNoProblem) {
  // 6 pixels and 2 pads, 3x3 windows of stride 2: the last one, at 6, ends one element after the
  // pads. PyTorch counts the pads but not that element; no library call does that.
  EXPECT_EQ(problem("aten::avg_pool2d", {{1, 1, 6, 6}},
                    {"[3, 3]", "[2, 2]", "[1, 1]", "True", "True", ""}),
            "");
  EXPECT_EQ(problem("aten::avg_pool2d", {{1, 1, 6, 6}},
                    {"[3, 3]", "[2, 2]", "[1, 1]", "True", "False", ""}),
            "avgpool/1x1x6x6_k3x3_p1.1.2.2_s2x2_d1x1_exclude");
}

TEST(PyTorch, WhatIsNotRecordedIsNotGuessed) {
  EXPECT_EQ(problem("aten::conv2d", {{1, 3, 8, 8}, {64, 3, 7, 7}, {}}, {}), "");
  EXPECT_EQ(
      problem("aten::conv2d", {{1, 3, 8, 8}, {64, 3, 7, 7}, {}}, {"[2, 2]", "same", "[1, 1]", "1"}),
      "");
  // A window that does not fit gives no problem.
  EXPECT_EQ(problem("aten::conv2d", {{1, 3, 2, 2}, {64, 3, 7, 7}, {}},
                    {"[2, 2]", "[0, 0]", "[1, 1]", "1"}),
            "");
}

TEST(PyTorch, ANodeIsTheOutermostKnownOperatorWithAllItsKernels) {
  const Profile profile = read_profile(test::data("resnet50.pytorch.trace.json.gz"));
  EXPECT_EQ(profile.framework, "pytorch");
  EXPECT_EQ(profile.device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(profile.precision, "tf32");  // PyTorch's default for fp32 convolutions
  EXPECT_EQ(profile.steps, 2);
  ASSERT_EQ(profile.nodes.size(), 174);  // 53 conv, 53 bn, 49 relu, 16 add, 2 pools, 1 product
  EXPECT_EQ(profile.nodes[0].name, "aten::conv2d");
  EXPECT_EQ(profile.nodes[0].parts[0].problem, "conv/1x3x224x224_k64x7x7_p3.3.3.3_s2x2_d1x1_g1");
  // 18.368 us in the first step, 18.752 us in the second.
  EXPECT_NEAR(profile.nodes[0].seconds, 18.56 * us, 1e-12);
  // The first 3x3 convolution: data and filters to NHWC, then the product.
  ASSERT_EQ(profile.nodes[7].kernels.size(), 3);
  EXPECT_THAT(profile.nodes[7].kernels[0].name, HasSubstr("nchwToNhwc"));
  EXPECT_THAT(profile.nodes[7].kernels[2].name, HasSubstr("implicit_gemm"));
  EXPECT_NEAR(profile.nodes[7].seconds, (12.193 + 12.129) / 2 * us, 1e-12);
  EXPECT_EQ(profile.nodes.back().name, "aten::linear");
  EXPECT_EQ(profile.nodes.back().op, "MatMul");
}

TEST(PyTorch, StepsOfTheSchedulerAreRuns) {
  TraceWriter trace;
  trace.relu({1, 2}, 100);  // before the first step
  trace.step(190).relu({1, 4}, 10).relu({1, 8}, 20).pause(50);
  trace.step(190).relu({1, 4}, 30).relu({1, 8}, 40);
  const Profile profile = profile_of(trace);
  EXPECT_EQ(profile.steps, 2);
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 20 * us);
  EXPECT_DOUBLE_EQ(profile.nodes[1].seconds, 30 * us);
  EXPECT_THAT(profile.latency_seconds, IsEmpty());
}

TEST(PyTorch, AnUnlikeStepIsLeftOutAndNamed) {
  TraceWriter trace;
  trace.step(190).relu({1, 4}).relu({1, 8}).pause(50);
  trace.step(190).relu({1, 4}).relu({1, 8}).pause(50);
  trace.step(90).relu({1, 4});
  const Profile profile = profile_of(trace);
  EXPECT_EQ(profile.steps, 2);
  EXPECT_THAT(profile.remarks, ElementsAre(HasSubstr("1 of the trace's 3 steps")));
}

TEST(PyTorch, WaitsSeparateEqualRuns) {
  TraceWriter trace;
  for (int run = 0; run < 3; ++run) trace.relu({1, 4}).relu({1, 8}).wait();
  const Profile profile = profile_of(trace);
  EXPECT_EQ(profile.steps, 3);
  EXPECT_EQ(profile.nodes.size(), 2);
  EXPECT_EQ(profile.repeats, 1);
}

TEST(PyTorch, WithoutWaitsTheModelDecides) {
  TraceWriter trace;
  for (int run = 0; run < 6; ++run) trace.conv(1, 8, 8, 4).relu({1, 8, 4, 4});
  const Profile profile = profile_of(trace);
  EXPECT_EQ(profile.nodes.size(), 12);
  EXPECT_EQ(profile.repeats, 6);
  Graph graph{.model = "m"};
  const Layer conv{.name = "c", .op = "Conv", .problems = {"conv/x"}};
  graph.layers = {conv, conv, conv};
  const Profile run = one_run(profile, graph);
  EXPECT_EQ(run.steps, 2);
  EXPECT_EQ(run.nodes.size(), 6);
  EXPECT_DOUBLE_EQ(run.timeline->busy_seconds, profile.timeline->busy_seconds / 2);
  graph.layers.resize(1);
  EXPECT_EQ(one_run(profile, graph).nodes.size(), 2);
}

TEST(PyTorch, KernelsBelongToTheOperatorThatLaunchedThem) {
  TraceWriter trace;
  trace.op("aten::my_unknown", {{4}}, {}, {{"a", 1}, {"b", 2}}).op("aten::view", {{4}}, {}, {});
  const Profile profile = profile_of(trace);
  EXPECT_THAT(names(profile), ElementsAre("aten::my_unknown"));
  EXPECT_EQ(profile.nodes[0].op, "");
  EXPECT_NEAR(profile.nodes[0].seconds, 3 * us, 1e-15);
}

TEST(PyTorch, IdleTimeBeforeALaunchIsTheHosts) {
  // Operators start at 1000 and 1100; the launch comes 1 us later, its kernel 5 us after that, for
  // 10 us.
  const Profile profile = profile_of(TraceWriter().relu({1, 4}).relu({1, 8}));
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_NEAR(profile.nodes[0].kernels[0].waited_seconds, 1 * us, 1e-12);
  EXPECT_NEAR(profile.nodes[1].kernels[0].waited_seconds, (1101 - 1016) * us, 1e-12);
  EXPECT_NEAR(profile.timeline->host_bound_seconds, 86 * us, 1e-12);
  EXPECT_NEAR(profile.timeline->busy_seconds, 20 * us, 1e-12);
  EXPECT_NEAR(profile.timeline->span_seconds, 116 * us, 1e-12);
}

/// A product with operands of these types and one kernel.
TraceWriter& linear(TraceWriter& trace, const std::string& input, const std::string& weights,
                    const std::string& bias, const std::string& kernel = "gemm") {
  return trace.types({input, weights, bias})
      .op("aten::linear", {{4, 8}, {16, 8}, {16}}, {}, {{kernel, 1}});
}

TEST(PyTorch, PrecisionIsThatOfWhatTheProductsMultiply) {
  // Neither a bias nor other operators' inputs count as factors.
  TraceWriter half;
  linear(half.type("float").relu({4, 8}), "c10::Half", "c10::Half", "float");
  EXPECT_EQ(profile_of(half).precision, "fp16");
  // "1688": 16x8x8 instructions, which sm80 has for TF32 and for half.
  TraceWriter named;
  linear(named, "c10::Half", "c10::Half", "c10::Half", "cutlass_80_tensorop_s1688gemm_128x64");
  EXPECT_EQ(profile_of(named).precision, "fp16");
  // A cuBLAS kernel for sm90: half in, half out, float in between.
  TraceWriter newer;
  linear(newer, "c10::Half", "c10::Half", "c10::Half", "nvjet_sm90_hsh_64x8_64x16_2x1_v_bz_TNT");
  EXPECT_EQ(profile_of(newer).precision, "fp16");
  TraceWriter single;
  linear(single, "float", "float", "float", "cutlass_80_tensorop_s1688gemm_128x64");
  EXPECT_EQ(profile_of(single).precision, "tf32");
  // The addend is the first argument of addmm and baddbmm.
  TraceWriter addend;
  addend.types({"float", "c10::Half", "c10::Half"})
      .op("aten::addmm", {{16}, {4, 8}, {8, 16}}, {"1", "1"}, {{"gemm", 1}});
  EXPECT_EQ(profile_of(addend).precision, "fp16");
}

TEST(PyTorch, ProductsOfSeveralTypesAreMixed) {
  TraceWriter layers;
  linear(layers, "float", "float", "float");
  EXPECT_EQ(profile_of(linear(layers, "c10::Half", "c10::Half", "c10::Half")).precision, "mixed");
  // autocast: called with floats, which are converted to half.
  TraceWriter cast;
  EXPECT_EQ(profile_of(linear(cast, "c10::Half", "float", "float")).precision, "mixed");
}

TEST(PyTorch, PrecisionIsThatOfTheData) {
  EXPECT_EQ(profile_of(TraceWriter().conv(1, 8, 8, 4)).precision, "fp32");
  EXPECT_EQ(profile_of(TraceWriter().type("c10::Half").conv(1, 8, 8, 4)).precision, "fp16");
  EXPECT_EQ(profile_of(TraceWriter().type("c10::BFloat16").conv(1, 8, 8, 4)).precision, "bf16");
  EXPECT_EQ(profile_of(TraceWriter().conv(1, 8, 8, 4, {{"x_tensor16x8x8_tf32f32", 1}})).precision,
            "tf32");
}

TEST(PyTorch, ARecordHoldsTheLatencyAndNamesTheTrace) {
  const Folder folder;
  folder.write("t.json", TraceWriter().conv(1, 8, 8, 4).text());
  const std::string record = R"({"schema": 1, "framework": "pytorch", "version": "2.11.0",
    "model": "m", "batch": 8, "precision": "fp16", "options": ["channels_last"], "device": "D",
    "latency_seconds": [1e-3, 2e-3], "cuda_graph_latency_seconds": [5e-4], "trace": "t.json"})";
  const Profile profile = read_profile(folder.write("r.json", record));
  EXPECT_EQ(profile.model, "m");
  EXPECT_EQ(profile.batch, 8);
  EXPECT_EQ(profile.precision, "fp16");
  EXPECT_EQ(profile.named_version(), "2.11.0 channels_last");
  EXPECT_THAT(profile.latency_seconds, ElementsAre(1e-3, 2e-3));
  EXPECT_THAT(profile.graph_latency_seconds, ElementsAre(5e-4));
  EXPECT_EQ(profile.nodes.size(), 1);
  std::filesystem::remove(folder.path() / "t.json");
  EXPECT_THAT(error_of([&] { read_profile(folder.path() / "r.json"); }), HasSubstr("t.json"));
}

// Without GPU work, an operator's time is its host time, including the operators it calls.
TEST(PyTorch, OnAProcessorOperatorsWorkThemselves) {
  nlohmann::json trace =
      TraceWriter().conv(1, 8, 8, 4, {}).op("aten::relu", {{1, 8, 4, 4}}, {}, {}).json();
  nlohmann::json inner = trace["traceEvents"][0];
  ASSERT_EQ(inner["name"], "aten::conv2d");
  ASSERT_EQ(inner["dur"], 50);
  inner["name"] = "aten::empty";
  inner["ts"] = inner["ts"].get<double>() + 10;
  inner["dur"] = 20;
  trace["traceEvents"].push_back(inner);
  const Folder folder;
  folder.write("t.json", trace.dump());
  const std::string record = R"({"schema": 1, "framework": "pytorch", "version": "2.11.0",
    "model": "m", "batch": 1, "precision": "fp32", "latency_seconds": [1e-3], "trace": "t.json"})";
  const Profile profile = read_profile(folder.write("r.json", record));
  EXPECT_THAT(names(profile), ElementsAre("aten::conv2d", "aten::relu"));
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 50 * us);
  EXPECT_DOUBLE_EQ(profile.nodes[1].seconds, 50 * us);
  EXPECT_EQ(profile.nodes[0].parts.at(0).problem, "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_FALSE(profile.timeline);
}

TEST(PyTorch, CompiledKernelsSayWhatTheyFuse) {
  const auto ops = [](const std::string& name) {
    const Profile profile = profile_of(TraceWriter().op(name, {{4}}, {}, {{name, 1}}));
    std::string text;
    for (const Part& part : profile.nodes.at(0).parts) text += part.op + ' ';
    return text;
  };
  EXPECT_EQ(ops("triton_poi_fused__native_batch_norm_legit_no_training_add_relu_12"),
            "BatchNormalization Add Relu ");
  EXPECT_EQ(ops("triton_per_fused_mean_view_3"), "ReduceMean ");
  EXPECT_EQ(ops("triton_poi_fused_convolution_0"), "");
  EXPECT_EQ(ops("aten::no_such_operator"), "");
}

TEST(PyTorch, BadTracesAreOneLine) {
  const Folder folder;
  const nlohmann::json good = TraceWriter().conv(1, 8, 8, 4).json();
  const auto without = [&](const std::string& category, const std::string& argument) {
    nlohmann::json trace = good;
    trace["traceEvents"] = nlohmann::json::array();
    for (nlohmann::json event : good["traceEvents"]) {
      if (event["cat"] == category && argument.empty()) continue;
      if (event["cat"] == category) event["args"].erase(argument);
      trace["traceEvents"].push_back(event);
    }
    return trace.dump();
  };
  const std::string text = good.dump();
  const std::vector<std::pair<std::string, std::string>> cases{
      {without("cpu_op", "Input Dims"), "has no shapes"},
      {without("kernel", ""), "has no GPU work"},
      {without("cpu_op", ""), "has no operators"},
      {text.substr(0, text.size() / 2), "cut short"},
      {R"({"traceEvents": 3})", "has no traceEvents"},
      {R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}]})", "'name'"},
      {"[]", "is not a profile"},
  };
  for (const auto& [bad, says] : cases) {
    const auto file = folder.write("bad.json", bad);
    EXPECT_THAT(error_of([&] { read_profile(file); }),
                AllOf(HasSubstr(file.string() + ": "), HasSubstr(says), Not(HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace benanza::analysis
