#include "analysis/questions/inspect/inspection.h"

#include <gmock/gmock.h>

#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/inspect/report.h"
#include "analysis/tests/build.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::data;
using test::error_of;
using test::profile_of;
using test::TraceWriter;
using test::us;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// conv (1x8x4x4, 8 filters) -> relu.
Graph small() {
  Layer conv{.name = "c",
             .op = "Conv",
             .inputs = {},
             .problems = {"conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1"}};
  Layer relu{.name = "r", .op = "Relu", .inputs = {0}, .problems = {"relu/1x8x4x4"}};
  conv.outputs = relu.outputs = {{.shape = Dims{1, 8, 4, 4}}};
  return {.model = "m", .batch = 1, .layers = {conv, relu}};
}

std::vector<Deviation> found(const Inspection& inspection, Difference difference) {
  std::vector<Deviation> list;
  for (const Deviation& finding : inspection.findings) {
    if (finding.difference == difference) list.push_back(finding);
  }
  return list;
}

TEST(Inspect, KernelsThatDoNotMultiplyAreExtraWorkOfTheirLayer) {
  TraceWriter trace;
  trace.conv(
      1, 8, 8, 4,
      {{"nchwToNhwcKernel", 3}, {"nchwToNhwcKernel", 4}, {"Memset (Device)", 1}, {"sgemm", 9}});
  trace.relu({1, 8, 4, 4});
  const Inspection inspection = inspect(small(), profile_of(trace));
  const std::vector<Deviation> extra = found(inspection, Difference::extra);
  ASSERT_EQ(extra.size(), 2);  // most expensive first
  EXPECT_EQ(extra[0].what, "layout transform");
  EXPECT_EQ(extra[0].layer, "c");
  EXPECT_EQ(extra[0].node, "aten::conv2d");
  EXPECT_NEAR(extra[0].seconds, 7 * us, 1e-12);
  EXPECT_EQ(extra[0].detail, "nchwToNhwcKernel + nchwToNhwcKernel");
  EXPECT_THAT(extra[0].advice, HasSubstr("channels-last"));
  EXPECT_EQ(extra[1].what, "fill");
  EXPECT_EQ(inspection.quality.matched, 2);
}

/// Of the extra and untold work, by what it is.
std::string beyond(const TraceWriter& trace) {
  std::string text;
  for (const Deviation& one : inspect(small(), profile_of(trace)).findings) {
    if (one.difference == Difference::wait) continue;
    text += std::string(to_string(one.difference)) + ' ' + one.what + "; ";
  }
  return text;
}

TraceWriter small_run() {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 9}}).relu({1, 8, 4, 4});
  return trace;
}

// No advice to drop what may be needed.
TEST(Inspect, CommunicationAndItsCopiesAreNotBeyondTheModel) {
  TraceWriter copies = small_run();
  copies.op("aten::copy_", {{64}, {64}}, {}, {{"Memcpy DtoD (Device -> Device)", 5}});
  EXPECT_EQ(beyond(copies), "extra copy; ");
  TraceWriter ddp = copies;
  ddp.op("c10d::allreduce_", {{64}}, {}, {{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20}});
  EXPECT_EQ(beyond(ddp), "untold communication; untold copy in a distributed run; ");
  TraceWriter sharded = small_run();
  sharded.op("fsdp::all_gather_copy_in", {{64}}, {}, {{"CatArrayBatchedCopy", 5}});
  EXPECT_EQ(beyond(sharded), "untold communication; ");
  TraceWriter known = small_run();
  known.op("aten::tanh", {{64}}, {}, {{"tanh_kernel", 5}});
  EXPECT_EQ(beyond(known), "extra Tanh; ");
}

TEST(Inspect, AnOperatorThatTakesNoTimeIsNoLoss) {
  TraceWriter trace = small_run();
  trace.op("aten::tanh", {{64}}, {}, {{"tanh_kernel", 0}});
  EXPECT_EQ(beyond(trace), "");
}

TEST(Inspect, ACudaGraphIsNotBeyondTheModel) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 9}});
  Profile profile = profile_of(trace);
  profile.nodes.push_back({.name = "cudaGraphLaunch",
                           .origin = "",
                           .op = "",
                           .seconds = 24 * us,
                           .kernels = {{.name = "relu", .seconds = 24 * us}}});
  const Inspection inspection = inspect(small(), profile);
  const auto untold = found(inspection, Difference::untold);
  ASSERT_EQ(untold.size(), 1);
  EXPECT_EQ(untold[0].what, "CUDA graph");
  EXPECT_THAT(found(inspection, Difference::extra), testing::IsEmpty());
  const auto missing = found(inspection, Difference::missing);
  ASSERT_EQ(missing.size(), 1);
  EXPECT_THAT(missing[0].advice, HasSubstr("may have run in a CUDA graph"));
}

TEST(Inspect, AKernelWithoutAnOperatorIsNotBeyondTheModel) {
  Profile profile = profile_of(small_run());
  profile.nodes.push_back({.name = "custom",
                           .origin = "",
                           .op = "",
                           .seconds = 7 * us,
                           .kernels = {{.name = "custom", .seconds = 7 * us}}});
  const Inspection inspection = inspect(small(), profile);
  EXPECT_THAT(found(inspection, Difference::extra), testing::IsEmpty());
  EXPECT_EQ(found(inspection, Difference::untold).size(), 1);
}

// 20 us of kernels with the profiler on, 10 us in all without it: what 6 of them cost are 3.
TEST(Inspect, KernelsAreScaledToTheLatency) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"nchwToNhwcKernel", 6}, {"sgemm", 14}});
  Profile profile = profile_of(trace);
  profile.timeline->busy_seconds = 20 * us;
  const auto seconds = [&] {
    return found(inspect(small(), profile), Difference::extra).at(0).seconds;
  };
  EXPECT_NEAR(seconds(), 6 * us, 1e-12);  // no latency
  profile.latency_seconds = {10 * us};
  EXPECT_NEAR(seconds(), 3 * us, 1e-12);
  profile.latency_seconds = {30 * us};
  EXPECT_NEAR(seconds(), 6 * us, 1e-12);
  // Of two modes, the faster one.
  profile.latency_seconds.clear();
  for (const double latency : {10 * us, 25 * us, 10 * us, 25 * us}) {
    profile.processes.push_back({.latency_seconds = {latency}});
    profile.latency_seconds.push_back(latency);
  }
  const Graph graph = small();
  InspectReport report{.graph = &graph,
                       .profile = std::make_shared<const Profile>(profile),
                       .inspection = inspect(graph, profile)};
  EXPECT_NEAR(report.inspection.work_scale, 0.5, 1e-12);
  Page page{.command = "inspect"};
  page.sections.push_back(inspect_section(report));
  EXPECT_THAT(page_table(page, 10), AllOf(HasSubstr("two modes: 0.010 (2 processes) and 0.025 (2)"),
                                          HasSubstr("scaled by 0.50 to it")));
}

TEST(Inspect, OperatorsThatTheModelDoesNotHaveAreExtraAfterTheirLayer) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  trace.op("aten::batch_norm", {{1, 8, 4, 4}, {8}, {8}, {8}, {8}},
           {"False", "0.1", "1e-05", "True"}, {{"bn", 5}});
  trace.relu({1, 8, 4, 4});
  trace.op("aten::copy_", {{1, 8, 4, 4}, {1, 8, 4, 4}}, {}, {{"float16_copy_kernel_cuda", 2}});
  const Inspection inspection = inspect(small(), profile_of(trace));
  const std::vector<Deviation> extra = found(inspection, Difference::extra);
  ASSERT_EQ(extra.size(), 2);
  EXPECT_EQ(extra[0].what, "BatchNormalization");
  EXPECT_EQ(extra[0].layer, "c");
  EXPECT_NEAR(extra[0].seconds, 5 * us, 1e-12);
  EXPECT_THAT(extra[0].advice, HasSubstr("Fold"));
  EXPECT_EQ(extra[1].what, "cast");
  EXPECT_EQ(extra[1].layer, "r");
}

TEST(Inspect, CastsOfANormalizationAreFoldedAwayAndCountApart) {
  Graph graph = small();
  Layer normalization{.name = "b",
                      .op = "BatchNormalization",
                      .inputs = {0},
                      .problems = {"batchnorm/1x8x4x4_e1e-05"}};
  normalization.outputs = {{.shape = Dims{1, 8, 4, 4}}};
  graph.layers.insert(graph.layers.begin() + 1, normalization);
  graph.layers[2].inputs = {1};
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 9}, {"float16_copy_kernel_cuda", 1}});
  trace.op("aten::batch_norm", {{1, 8, 4, 4}, {8}, {8}, {8}, {8}},
           {"False", "0.1", "1e-05", "True"}, {{"bn", 5}, {"float16_copy_kernel_cuda", 2}});
  trace.relu({1, 8, 4, 4});
  const Inspection inspection = inspect(graph, profile_of(trace));
  const std::vector<Deviation> extra = found(inspection, Difference::extra);
  ASSERT_EQ(extra.size(), 2);
  EXPECT_EQ(extra[0].layer, "b");
  EXPECT_THAT(extra[0].advice, HasSubstr("Fold"));
  EXPECT_EQ(extra[1].layer, "c");
  EXPECT_THAT(extra[1].advice, HasSubstr("one type"));
  EXPECT_EQ(std::count_if(inspection.totals.begin(), inspection.totals.end(),
                          [](const Total& total) { return total.difference == Difference::extra; }),
            2);
}

TEST(Inspect, ALayerThatDidNotRunIsMissing) {
  const Inspection inspection = inspect(small(), profile_of(TraceWriter().conv(1, 8, 8, 4)));
  const std::vector<Deviation> missing = found(inspection, Difference::missing);
  ASSERT_EQ(missing.size(), 1);
  EXPECT_EQ(missing[0].layer, "r");
  EXPECT_EQ(missing[0].node, "aten::conv2d");  // which may have done it
  EXPECT_EQ(missing[0].seconds, 0);
}

TEST(Inspect, OtherParametersAndProductsWithoutTensorCores) {
  Graph graph = small();
  graph.layers[1].op = "Conv";
  graph.layers[1].problems = {"conv/1x8x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1"};
  for (int i = 0; i < 4; ++i) graph.layers.push_back(graph.layers[0]);
  TraceWriter trace;
  trace.type("c10::Half");
  trace.conv(1, 8, 8, 4, {{"ampere_sgemm_32x32", 20}});
  trace.op("aten::conv2d", {{1, 8, 4, 4}, {8, 8, 3, 3}, {}}, {"[1, 1]", "[2, 2]", "[2, 2]", "1"},
           {{"x_tensor16x8x16", 6}});
  // Two add their bias, which no Tensor Core does; of one, the product's kernel is not known.
  for (int i = 0; i < 2; ++i) trace.conv(1, 8, 8, 4, {{"x_tensor16x8x16", 6}});
  trace.conv(1, 8, 8, 4, {{"a_new_kernel", 6}, {"void at::native::elementwise_kernel", 3}});
  trace.conv(1, 8, 8, 4, {{"x_tensor16x8x16", 6}, {"void at::native::elementwise_kernel", 3}});
  const Inspection inspection = inspect(graph, profile_of(trace));
  const auto other = found(inspection, Difference::parameters);
  ASSERT_EQ(other.size(), 1);
  EXPECT_TRUE(other[0].at_most);
  EXPECT_EQ(other[0].detail,
            "conv/1x8x4x4_k8x3x3_p2.2.2.2_s1x1_d2x2_g1 instead of "
            "conv/1x8x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1");
  const auto slow = found(inspection, Difference::arithmetic);
  ASSERT_EQ(slow.size(), 1);
  EXPECT_EQ(slow[0].layer, "c");
  EXPECT_NEAR(slow[0].seconds, 20 * us, 1e-12);
}

TEST(Inspect, WaitsAreScaledToWhatTheLatencyLeaves) {
  Profile profile = profile_of(TraceWriter().conv(1, 8, 8, 4).relu({1, 8, 4, 4}));
  // 20 us of work; waits of 1 and 85 us (see the importer's test).
  const Inspection traced = inspect(small(), profile);
  EXPECT_DOUBLE_EQ(traced.wait_scale, 1);
  EXPECT_EQ(traced.latency_seconds, std::nullopt);
  profile.latency_seconds = {63 * us};
  const Inspection timed = inspect(small(), profile);
  EXPECT_NEAR(timed.wait_scale, 0.5, 1e-9);  // (63 - 20) / 86
  const auto waits = found(timed, Difference::wait);
  ASSERT_EQ(waits.size(), 2);
  EXPECT_EQ(waits[0].layer, "r");
  EXPECT_NEAR(waits[0].seconds, 42.5 * us, 1e-10);
}

TEST(Inspect, TotalsAddUpEqualFindings) {
  TraceWriter trace;
  Graph graph = small();
  graph.layers.push_back(graph.layers[0]);
  trace.conv(1, 8, 8, 4, {{"nchwToNhwcKernel", 3}, {"sgemm", 9}});
  trace.relu({1, 8, 4, 4});
  trace.conv(1, 8, 8, 4, {{"nchwToNhwcKernel", 5}, {"sgemm", 9}});
  const Inspection inspection = inspect(graph, profile_of(trace));
  const auto layout =
      std::find_if(inspection.totals.begin(), inspection.totals.end(),
                   [](const Total& total) { return total.what == "layout transform"; });
  ASSERT_NE(layout, inspection.totals.end());
  EXPECT_EQ(layout->count, 2);
  EXPECT_NEAR(layout->seconds, 8 * us, 1e-12);
}

Page page_of(const InspectReport& report) {
  return {.command = "inspect", .sections = {inspect_section(report)}};
}

InspectReport real(const Graph& graph) {
  const auto profile = std::make_shared<const Profile>(
      one_run(read_profile(data("resnet50.pytorch.trace.json.gz")), graph));
  return {.graph = &graph, .profile = profile, .inspection = inspect(graph, *profile)};
}

TEST(Inspect, ARealRunConvertsLayoutsAndWaits) {
  const Graph graph = read_graph(data("resnet50.graph.json.gz"));
  const InspectReport report = real(graph);
  std::map<std::string, std::size_t> counts;
  for (const Total& total : report.inspection.totals) counts[total.what] = total.count;
  // In each of the two steps 18 operators launch nchwToNhwcKernel or nhwcToNchwKernel, and 8
  // splitKreduce.
  EXPECT_EQ(counts["layout transform"], 18);
  EXPECT_EQ(counts["sum of a split product"], 8);
  EXPECT_EQ(counts["Conv without Tensor Cores"], 2);
  const std::string table = page_table(page_of(report), 3);
  EXPECT_THAT(table, AllOf(HasSubstr("174 of 174 layers have their operator"),
                           HasSubstr("no operator beyond the model"), HasSubstr("channels-last"),
                           HasSubstr("the first 3 of "), HasSubstr("--rows all")));
  const auto json = nlohmann::json::parse(page_json(page_of(report)));
  EXPECT_EQ(json["reports"][0]["alignment"]["matched"], 174);
  EXPECT_EQ(json["reports"][0]["latency_seconds"], nullptr);
  const std::string rows = page_csv(page_of(report));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + report.inspection.findings.size());
  EXPECT_THAT(rows, HasSubstr("\nresnet50,1,pytorch,,tf32,"));
}

TEST(Inspect, ApiLogsSayWhichAlgorithmALayerGot) {
  const Graph graph = small();
  const auto profile = std::make_shared<const Profile>(
      profile_of(TraceWriter().conv(1, 8, 8, 4).relu({1, 8, 4, 4})));
  InspectReport report{.graph = &graph, .profile = profile, .inspection = inspect(graph, *profile)};
  EXPECT_THAT(page_table(page_of(report), 3), Not(HasSubstr("API logs")));
  report.calls = {{.library = "cudnn",
                   .function = "cudnnBackendExecute",
                   .problem = graph.layers[0].problems[0],
                   .algorithm = "engine 28"}};
  report.call_of_layer = {0, std::nullopt};
  EXPECT_THAT(page_table(page_of(report), 3),
              AllOf(HasSubstr("1 calls, 1 of them found"), HasSubstr("engine 28")));
  const auto json = nlohmann::json::parse(page_json(page_of(report)));
  EXPECT_EQ(json["reports"][0]["calls"][0]["layer"], "c");
}

TEST(Inspect, NeedsAGpusProfileOfThisModel) {
  const Graph graph = small();
  Profile profile = profile_of(TraceWriter().conv(1, 9, 8, 4));
  EXPECT_THAT(error_of([&] { inspect(graph, profile); }), HasSubstr("another model"));
  profile.timeline.reset();
  EXPECT_THAT(error_of([&] { inspect(graph, profile); }),
              AllOf(HasSubstr("does not say what the GPU did"), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace benanza::analysis
