// What is found of a framework's run: the gain of each kind, and that none goes below the bound.
#include <gmock/gmock.h>

#include "analysis/tests/questions/findings_case.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::Found;
using test::layer;
using test::measured;
using test::product_and_relu;
using test::three_layers;
using test::tiny;
using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A GPU that is busy for 200 us of the latency; the bound is 170.
Found on_gpu(double latency, double waited) {
  Found given = three_layers();
  Profile& profile = given.run("pytorch", {110 * us, 60 * us, 30 * us}, latency);
  profile.timeline =
      Timeline{.span_seconds = 2 * latency, .busy_seconds = 200 * us, .host_bound_seconds = waited};
  for (ProfiledNode& node : profile.nodes) {
    node.kernels = {{.name = "k", .seconds = node.seconds, .waited_seconds = waited / 3}};
  }
  return given;
}

TEST(RunFindings, OfLaunchesAreTimedWhereTheGraphIs) {
  Found given = on_gpu(1000 * us, 700 * us);
  given.inputs.profiles[0].graph_latency_seconds = std::vector<double>(7, 210 * us);
  const std::vector<Judged> found = given.of("launch gaps");
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found[0].finding;
  EXPECT_NEAR(*finding.gain_seconds, 790 * us, tiny);
  EXPECT_EQ(finding.certainty, Certainty::timed);
  EXPECT_EQ(found[0].reference.name, "PyTorch's latency");
  EXPECT_NEAR(*found[0].share(), 0.79, 1e-9);
  EXPECT_THAT(finding.layers, ElementsAre(0, 1, 2));
  EXPECT_THAT(finding.remedy.command, HasSubstr("reduce-overhead"));
}

TEST(RunFindings, OfLaunchesWithinTheNoiseAreNone) {
  Found given = on_gpu(205 * us, 5 * us);
  Profile& profile = given.inputs.profiles[0];
  for (const double offset : {-10 * us, -5 * us, 0.0, 5 * us, 10 * us}) {
    profile.processes.push_back(
        {.latency_seconds = {205 * us + offset}, .graph_latency_seconds = {200 * us + offset}});
    profile.latency_seconds.push_back(205 * us + offset);
    profile.graph_latency_seconds.push_back(200 * us + offset);
  }
  EXPECT_THAT(given.of("launch gaps"), IsEmpty());
}

// The profiler slows the host down: waits of 900 us do not fit into the 300 that the GPU is idle.
TEST(RunFindings, OfLaunchesAreScaledToTheLatency) {
  const std::vector<Judged> found = on_gpu(500 * us, 900 * us).of("launch gaps");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 300 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::estimated);
  EXPECT_THAT(on_gpu(500 * us, 0).of("launch gaps"), IsEmpty());
}

// With the trace alone, the GPU may seem busy for less than the bound.
TEST(RunFindings, DoNotGoBelowTheBound) {
  Found given = on_gpu(500 * us, 450 * us);
  given.inputs.profiles[0].timeline->busy_seconds = 50 * us;
  const std::vector<Judged> found = given.of("launch gaps");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 330 * us, tiny);  // 500 - 170
}

TEST(RunFindings, OfKernelsAreHiddenWhileTheGpuWaits) {
  const std::vector<Judged> found = on_gpu(1000 * us, 700 * us).of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].is_hidden);
  EXPECT_EQ(found[0].reference.name, "the time in which the GPU is busy");
  EXPECT_NEAR(*found[0].finding.gain_seconds, 30 * us, tiny);  // 10 + 10 + 10 of 200
  const std::vector<Judged> seen = on_gpu(205 * us, 1 * us).of("slow operators");
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_FALSE(seen[0].is_hidden);
  EXPECT_EQ(seen[0].reference.name, "PyTorch's latency");
}

// 800 us with the profiler on, 400 without: 300, 80 and 20 us beside 100, 50 and 20.
TEST(RunFindings, OfSlowOperatorsAreWhatTheyLose) {
  Found given = three_layers();
  given.run("onnxruntime", {600 * us, 160 * us, 40 * us}, 400 * us);
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found[0].finding;
  EXPECT_NEAR(*finding.gain_seconds, 230 * us, tiny);
  EXPECT_NEAR(finding.interval->low, 222.4 * us, 1e-10);  // 294 - 100 + 78.4 - 50
  EXPECT_NEAR(finding.interval->high, 230 * us, 1e-10);   // the bound is 170 of 400
  EXPECT_THAT(finding.layers, ElementsAre(0, 1));
  EXPECT_THAT(
      finding.what,
      HasSubstr("2 operators of ONNX Runtime take longer than the fastest calls for the same "
                "layers: Relu (2, 0.230 ms); most is lost in a (300.0 us, the fastest calls 100.0 "
                "us)."));
  EXPECT_THAT(finding.remedy.command, HasSubstr("OpenVINOExecutionProvider"));
}

// A copy of 50 us and a Reshape, which the bound leaves out.
TEST(RunFindings, OfCopiesAreComparedWithThoseMeasured) {
  Found given = three_layers();
  given.graph().layers[1].cost = Cost::movement;
  given.graph().layers[1].op = "Transpose";
  given.graph().layers[2].cost = Cost::free;
  given.graph().layers[2].op = "Reshape";
  given.run("onnxruntime", {101 * us, 51 * us, 40 * us}, 192 * us);
  EXPECT_THAT(given.of("slow operators"), IsEmpty());
  given.inputs.profiles.clear();
  given.run("onnxruntime", {100 * us, 70 * us, 40 * us}, 210 * us);
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 20 * us, tiny);
  EXPECT_THAT(found[0].finding.what, HasSubstr("1 operator of ONNX Runtime takes longer"));
  EXPECT_THAT(found[0].finding.what, HasSubstr("Transpose (1, 0.020 ms)"));
}

// One remedy for all of ONNX Runtime's operators.
TEST(RunFindings, OfSlowOperatorsAreOneForEachRemedy) {
  Found given = three_layers();
  given.graph().layers[1].op = "Softmax";
  given.run("onnxruntime", {200 * us, 160 * us, 20 * us}, 380 * us);
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 210 * us, tiny);
  EXPECT_THAT(found[0].finding.what, HasSubstr("Softmax (1, 0.110 ms), Relu (1, 0.100 ms)"));
}

TEST(RunFindings, OfSlowOperatorsGainWhatAPlanBearsOut) {
  Found given = three_layers();
  given.run("onnxruntime", {600 * us, 160 * us, 40 * us}, 400 * us);
  given.plan(300 * us, false);
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 100 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::timed);
  given.inputs.plans[0].seconds = std::vector<double>(3, 410 * us);
  EXPECT_THAT(given.of("slow operators"), IsEmpty());
}

// In sequence, the bound's calls take 300 us; a plan tells more.
TEST(RunFindings, OfSlowOperatorsGainNoMoreThanASequence) {
  Found given = three_layers();
  given.run("onnxruntime", {600 * us, 160 * us, 40 * us}, 400 * us);
  given.inputs.sequences = {
      {.model = "m", .batch = 1, .calls = 3, .alone_seconds = 170 * us, .seconds = {300 * us}}};
  ASSERT_THAT(given.of("slow operators"), SizeIs(1));
  EXPECT_NEAR(*given.of("slow operators")[0].finding.gain_seconds, 100 * us, tiny);
  given.inputs.sequences[0].seconds = {410 * us};
  EXPECT_THAT(given.of("slow operators"), IsEmpty());
  given.plan(350 * us, false);
  ASSERT_THAT(given.of("slow operators"), SizeIs(1));
  EXPECT_NEAR(*given.of("slow operators")[0].finding.gain_seconds, 50 * us, tiny);
}

TEST(RunFindings, OfAnotherPrecisionsRunAreNone) {
  Found given = three_layers();
  given.run("onnxruntime", {600 * us, 160 * us, 40 * us}, 400 * us).precision = "fp16";
  EXPECT_THAT(given.of("slow operators"), IsEmpty());
}

TEST(RunFindings, OfFusionLeaveOutWhatTheFrameworkFuses) {
  Found apart = product_and_relu();
  apart.run("pytorch", {11 * us, 5 * us}, 17 * us);
  const std::vector<Judged> found = apart.of("unfused layers");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 2 * us, tiny);
  EXPECT_EQ(found[0].reference.name, "PyTorch's latency");
  EXPECT_EQ(found[0].finding.remedy.command, "model = torch.compile(model)");
  Found fused = product_and_relu();
  fused.run("pytorch", {14 * us}, 17 * us);  // no operator for the relu: fused into fc
  EXPECT_THAT(fused.of("unfused layers"), IsEmpty());
}

// Of the product alone only the library's choice was measured: another may be as fast.
TEST(RunFindings, OfFusionNeedAlternativesOnBothSides) {
  Found given = product_and_relu();
  given.graph().layers[0].problems = {"gemm/m100_n200_k60_nn_w"};
  Measurement slow = measured("gemm/m100_n200_k60_nn_w/fp32/plain/onednn/x", five(90 * us));
  given.set().add(slow);
  given.run("pytorch", {91 * us, 5 * us}, 97 * us);
  EXPECT_THAT(given.of("unfused layers"), SizeIs(1));
  given = product_and_relu();
  given.graph().layers[0].problems = {"gemm/m100_n200_k60_nn_w"};
  slow.first_choice = true;
  given.set().add(slow);
  given.run("pytorch", {91 * us, 5 * us}, 97 * us);
  EXPECT_THAT(given.of("unfused layers"), IsEmpty());
}

// Another call for the relu would not be so much faster.
TEST(RunFindings, OfFusionNeedAlternativesOfProductsOnly) {
  Found given = product_and_relu();
  given.graph().layers[1].problems = {"relu/20001"};
  Measurement first = measured("relu/20001/fp32/nchw/onednn/jit", five(4 * us));
  first.first_choice = true;
  given.set().add(first);
  given.run("pytorch", {11 * us, 5 * us}, 17 * us);
  EXPECT_THAT(given.of("unfused layers"), SizeIs(1));
}

TEST(RunFindings, OfWorkBeyondTheModelAreItsTime) {
  Found given = three_layers();
  Profile& profile = given.run("onnxruntime", {100 * us, 50 * us, 20 * us}, 220 * us);
  EXPECT_THAT(given.of("work beyond the model"), IsEmpty());
  for (const char* const op : {"ReorderInput", "Reshape", "ReorderOutput"}) {
    profile.nodes.push_back({.name = op, .origin = op, .op = op, .seconds = 25 * us});
  }
  const std::vector<Judged> found = given.of("work beyond the model");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 2 * 25.0 * 220 / 245 * us, 1e-10);
  EXPECT_THAT(found[0].finding.what,
              HasSubstr("on changes of layout (ReorderInput, ReorderOutput) (2 times), which"));
  EXPECT_THAT(found[0].finding.remedy.action, HasSubstr("for plain ones only"));
}

TEST(RunFindings, OfTooManyThreadsAreTimed) {
  Found given = three_layers();
  Profile& profile = given.run("onnxruntime", {100 * us, 50 * us, 20 * us}, 220 * us);
  profile.fewer_threads = {{.threads = 2,
                            .instead_of = 4,
                            .processes = {{.latency_seconds = {200 * us}},
                                          {.latency_seconds = {198 * us}},
                                          {.latency_seconds = {202 * us}}}}};
  const std::vector<Judged> found = given.of("too many threads");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 20 * us, tiny);
  EXPECT_EQ(found[0].finding.remedy.command, "options.intra_op_num_threads = 2");
  profile.fewer_threads[0].processes = {{.latency_seconds = {218 * us}}};
  EXPECT_THAT(given.of("too many threads"), IsEmpty());  // less than 3%
}

TEST(RunFindings, OfTooManyThreadsAreNoneWhereProcessesOverlap) {
  Found given = three_layers();
  Profile& profile = given.run("onnxruntime", {100 * us, 50 * us, 20 * us}, 220 * us);
  const auto process = [](double time) { return ProcessRuns{.latency_seconds = {time * us}}; };
  profile.processes = {process(215), process(220), process(240)};
  profile.fewer_threads = {{.threads = 1, .processes = {process(198), process(200), process(214)}}};
  ASSERT_THAT(given.of("too many threads"), SizeIs(1));
  EXPECT_NEAR(given.of("too many threads")[0].finding.interval->low, us, tiny);
  profile.fewer_threads[0].processes.back() = process(216);
  EXPECT_THAT(given.of("too many threads"), IsEmpty());
}

/// A 1x1 convolution whose kernel is an implicit GEMM of 20 us, without Tensor Cores, after
/// `conversion_us` of converting. The fastest call uses them at other precisions than fp32.
Found convolution(double conversion_us, double best_us, Precision precision = Precision::fp32) {
  const std::string word(to_string(precision));
  const std::string key = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  Layer conv = layer("c", {});
  conv.op = "Conv";
  conv.problems = {key};
  conv.outputs = {{.shape = Dims{1, 8, 4, 4}}};
  Found given({.model = "m", .batch = 1, .layers = {conv}});
  given.filter.precision = precision;
  given.set().add(measured(key + '/' + word + "/nchw/cudnn/implicit_gemm", five(16 * us)));
  Measurement best =
      measured(key + '/' + word + "/nchw/cudnn/winograd_nonfused", five(best_us * us));
  best.tensor_cores = precision != Precision::fp32;
  given.set().add(std::move(best));
  test::TraceWriter trace;
  trace.conv(1, 8, 8, 4,
             {{"nchwToNhwcKernel", conversion_us}, {"cutlass_80_simt_sgemm_fprop_kernel", 20}});
  Profile profile = test::profile_of(trace);
  profile.precision = word;
  profile.latency_seconds = std::vector<double>(7, (20 + conversion_us) * us);
  profile.timeline->host_bound_seconds = 0;
  given.inputs.profiles = {profile};
  return given;
}

TEST(RunFindings, OfTheFrameworksAlgorithmsAreByItsKernels) {
  const std::vector<Judged> found = convolution(1, 9).of("choice of algorithm");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 7 * us, tiny);  // 16 - 9, as measured
  EXPECT_THAT(found[0].finding.what,
              HasSubstr("PyTorch runs 1 of 1 products with a slower algorithm"));
  EXPECT_EQ(found[0].finding.remedy.command, "torch.backends.cudnn.benchmark = True");
  EXPECT_THAT(convolution(1, 16).of("choice of algorithm"), IsEmpty());
}

// In NCHW, 16 us are the fastest, which PyTorch takes; in NHWC 9 us. Of the 12 us that it loses, no
// other algorithm gains more than 5: 7 are due to the format. A search of algorithms is no advice.
TEST(RunFindings, OfConvolutionsWhoseFastestCallsTakeTheOtherFormatAreOfTheFormat) {
  Found given = convolution(1, 16);
  const std::string key = given.graph().layers[0].problems[0];
  given.set().add(measured(key + "/fp32/nhwc/cudnn/engine1", five(9 * us)));
  EXPECT_THAT(given.of("choice of algorithm"), IsEmpty());
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 7 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::at_most);
  EXPECT_THAT(found[0].finding.remedy.command, HasSubstr("channels_last"));
}

// With weights from memory, only the calls that were timed so have times; others are longer.
TEST(RunFindings, OfTheFormatTakeCallsThatWereOnlyTimedWithWeightsInTheCache) {
  Found given = convolution(1, 16);
  const std::string key = given.graph().layers[0].problems[0];
  given.graph().compulsory = Compulsory{.weights = {.elements = 64}};
  given.inputs.results.systems["cudnn"] = {{"l2_bytes", "1"}};
  given.inputs.from_memory.emplace().add(measured(key + "/fp32/nhwc/cudnn/engine1", five(9 * us)));
  const std::vector<Judged> found = given.of("slow operators");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 7 * us, tiny);
  EXPECT_THAT(found[0].finding.remedy.command, HasSubstr("channels_last"));
}

TEST(RunFindings, OfUnusedTensorCoresAreWhatTheFastestCallSaves) {
  const std::vector<Judged> found = convolution(1, 9, Precision::fp16).of("Tensor Cores unused");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 12 * us, tiny);  // 21 - 9
  EXPECT_THAT(found[0].finding.what,
              HasSubstr("PyTorch does 1 product without Tensor Cores at fp16"));
  EXPECT_THAT(convolution(1, 9).of("Tensor Cores unused"), IsEmpty());
}

TEST(RunFindings, OfConversionsAreTheirKernels) {
  const std::vector<Judged> found = convolution(5, 9).of("memory format");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].finding.gain_seconds, 5 * us, tiny);
  EXPECT_EQ(found[0].finding.certainty, Certainty::estimated);
  EXPECT_THAT(found[0].finding.layers, ElementsAre(0));
  EXPECT_THAT(found[0].finding.remedy.command, HasSubstr("torch.channels_last"));
  EXPECT_THAT(convolution(0.1, 9).of("memory format"), IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
