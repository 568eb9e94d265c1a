// benanza-analyze training, run as a user does.

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "analysis/tests/build.h"
#include "analysis/tests/program.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;

using test::ms;

json json_layer(const std::string& name, const std::string& phase, const std::string& problem,
                std::int64_t gradient_elements, const std::vector<int>& inputs) {
  return {{"name", name},
          {"op", "Relu"},
          {"inputs", inputs},
          {"cost", "measured"},
          {"reason", ""},
          {"problems", {problem}},
          {"flops", 0},
          {"bytes", 8},
          {"outputs", json::array()},
          {"phase", phase},
          {"gradient_elements", gradient_elements}};
}

/// Forward 4 ms, backward 2 + 2 + 2 ms, update 1 ms; 1, 1 and 3 MB of gradients. An all-reduce
/// takes 1 ms per MB, from 4 kB to 4 MB, and so does a transfer. The inputs are 1 MB.
class TrainingProgram : public testing::Test {
 protected:
  TrainingProgram() {
    graph_ = {{"schema", 1},
              {"model", "tiny"},
              {"batch", 10},
              {"compulsory",
               {{"inputs", {{"elements", 250000}, {"bytes", 0}}},
                {"weights", {{"elements", 0}, {"bytes", 0}}},
                {"outputs", {{"elements", 0}, {"bytes", 0}}}}},
              {"layers",
               {json_layer("f", "forward", "relu/1", 0, {}),
                json_layer("b2", "backward", "relu/2", 250000, {0}),
                json_layer("b1", "backward", "relu/2", 250000, {1}),
                json_layer("b0", "backward", "relu/2", 750000, {2}),
                json_layer("u", "update", "relu/3", 0, {3})}},
              {"fusions", json::array()}};
    write_graph();
    const std::string way = "/fp32/plain/onednn/a";
    folder_.write("results.json", results_text(row("relu/1" + way, "[0.004]") + "," +
                                               row("relu/2" + way, "[0.002]") + "," +
                                               row("relu/3" + way, "[0.001]")));
    std::string rows;
    for (const char* const kind : {"all_reduce", "broadcast"}) {
      for (const auto& [elements, seconds] :
           {std::pair{"1000", "[4e-6]"}, std::pair{"100000", "[4e-4]"},
            std::pair{"1000000", "[4e-3]"}}) {
        rows += (rows.empty() ? "" : ",") +
                row(std::string(kind) + "/" + elements + "_r2/fp32/plain/nccl/default", seconds);
      }
    }
    folder_.write("nccl.json", results_text(rows, "2", "nccl"));
    folder_.write("prices.json", R"({"a CPU": 3.6})");
  }

  void write_graph() { folder_.write("tiny.graph.json", graph_.dump()); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Outcome run(const std::string& more) const {
    return run_program("training --graph " + path("tiny.graph.json") + " --results " +
                           path("results.json") + ' ' + more,
                       folder_);
  }
  json report(const std::string& more) const {
    const Outcome outcome = run(more + " --format json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out)["reports"][0];
  }
  std::string with_curve() const { return "--collectives " + path("nccl.json") + ' '; }
  std::string with_input() const { return "--io-seconds 0.001 --h2d-gbps 1 "; }

  static json find(const json& report, int gpus, const std::string& strategy) {
    for (const json& one : report["iterations"]) {
      if (one["gpus"] == gpus && one["strategy"] == strategy) return one;
    }
    ADD_FAILURE() << "no row of " << gpus << ", " << strategy;
    return {};
  }

  /// A profile of one GPU, with what several take.
  json ddp_profile(json ddp) {
    test::TraceWriter trace;
    folder_.write("t.json", trace.conv(1, 8, 8, 4, {}).text());
    return {{"schema", 1},
            {"framework", "pytorch"},
            {"version", "2.11.0"},
            {"model", "tiny"},
            {"batch", 10},
            {"precision", "fp32"},
            {"latency_seconds", {0.022}},
            {"trace", "t.json"},
            {"ddp", std::move(ddp)}};
  }

  const Folder folder_;
  json graph_;
};

TEST_F(TrainingProgram, OneGpuNeedsNoCollectives) {
  const json found = report(with_input());
  EXPECT_NEAR(found["forward_seconds"].get<double>(), 4 * ms, 1e-12);
  EXPECT_NEAR(found["backward_seconds"].get<double>(), 6 * ms, 1e-12);
  EXPECT_NEAR(found["update_seconds"].get<double>(), 1 * ms, 1e-12);
  EXPECT_EQ(found["gradient_bytes"], 5e6);
  ASSERT_EQ(found["iterations"].size(), 2U);
  EXPECT_NEAR(find(found, 1, "no overlap")["seconds"].get<double>(), 13 * ms, 1e-12);
  EXPECT_NEAR(find(found, 1, "input overlapped")["seconds"].get<double>(), 11 * ms, 1e-12);
  EXPECT_EQ(find(found, 1, "no overlap")["communication_seconds"], 0);
  EXPECT_THAT(run("").out, testing::HasSubstr("One GPU only. Several need collectives: measure "
                                              "them: bench_nccl"));
  expect_error(run("--gpus 2"), "--gpus 2: needs collectives: measure them: bench_nccl");
}

TEST_F(TrainingProgram, StrategiesAreThoseOfTheModel) {
  const json found = report(with_curve() + with_input());
  // Two GPUs share the reader: 2 + 1 + 4 + 6 + 5 + 1 ms.
  const json none = find(found, 2, "no overlap");
  EXPECT_NEAR(none["seconds"].get<double>(), 19 * ms, 1e-9);
  EXPECT_NEAR(none["exposed_input_seconds"].get<double>(), 3 * ms, 1e-9);
  EXPECT_NEAR(none["speed_up"].get<double>(), 2 * 13. / 19, 1e-6);
  EXPECT_NEAR(find(found, 2, "input overlapped")["seconds"].get<double>(), 16 * ms, 1e-9);
  // Backward layers end at 6, 8 and 10 ms; the last layer's 3 ms are exposed.
  const json layers = find(found, 2, "layer by layer");
  EXPECT_EQ(layers["messages"], 3);
  EXPECT_NEAR(layers["seconds"].get<double>(), 14 * ms, 1e-9);
  EXPECT_NEAR(layers["exposed_communication_seconds"].get<double>(), 3 * ms, 1e-9);
  EXPECT_NEAR(layers["efficiency"].get<double>(), 11. / 14, 1e-6);
  EXPECT_NEAR(layers["samples_per_second"].get<double>(), 20 / (14 * ms), 1e-3);
  EXPECT_EQ(layers["bottleneck"], "computation");
  // The second layer closes the first message: 2 MB from 8 ms on, 3 MB from 10 ms on.
  const json buckets = find(found, 2, "buckets of 25 MB");
  EXPECT_EQ(buckets["messages"], 2);
  EXPECT_NEAR(buckets["seconds"].get<double>(), 14 * ms, 1e-9);
  // Two transfers per message: 6 to 8, 8 to 10, 10 to 16 ms.
  EXPECT_NEAR(find(found, 2, "parameter server")["seconds"].get<double>(), 17 * ms, 1e-9);
  EXPECT_NEAR(found["curve_error_median"].get<double>(), 0, 1e-9);
}

TEST_F(TrainingProgram, ContentionStretchesTheBackwardPass) {
  // Layer by layer, computation is twice as slow while a message travels: 6 to 7 ms costs half a
  // millisecond, and again; the last message starts 1 ms later.
  const json found = report(with_curve() + "--contention 2");
  const json layers = find(found, 2, "layer by layer");
  EXPECT_NEAR(layers["contention_seconds"].get<double>(), 1 * ms, 1e-9);
  EXPECT_NEAR(layers["seconds"].get<double>(), 15 * ms, 1e-9);
}

TEST_F(TrainingProgram, AMeasuredStepIsASecondAnswer) {
  // 22 ms against a bound of 11: forward 8, backward until 12, 16 and 20 ms, update 2 ms.
  const json profile{{"schema", 1},
                     {"framework", "onnxruntime"},
                     {"version", "1.31.1"},
                     {"model", "tiny"},
                     {"batch", 10},
                     {"precision", "fp32"},
                     {"latency_seconds", {0.022}},
                     {"trace",
                      {{{"cat", "Session"}, {"name", "model_run"}, {"ts", 0}, {"dur", 10}},
                       {{"cat", "Node"},
                        {"name", "f_kernel_time"},
                        {"ts", 1},
                        {"dur", 5},
                        {"args", {{"node_index", "0"}, {"op_name", "Relu"}}}}}}};
  folder_.write("profile.json", profile.dump());
  const json found = report(with_curve() + "--profile " + path("profile.json"));
  std::map<std::string, double> seconds;
  for (const json& one : found["iterations"]) {
    if (one["strategy"] == "layer by layer") seconds[one["computation"]] = one["seconds"];
  }
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_NEAR(seconds.at("bound"), 14 * ms, 1e-9);
  EXPECT_NEAR(seconds.at("onnxruntime"), 25 * ms, 1e-9);
}

TEST_F(TrainingProgram, StepsOfSeveralGpusStandBesideWhatIsPredicted) {
  json profile = ddp_profile({{"workers", 2},
                              {"latency_seconds", {0.025, 0.026, 0.040}},
                              {"contention", 1.5},
                              {"to_device_seconds", {{"pinned", 0.003}, {"pageable", 0.007}}}});
  const auto ask = [&](const std::string& more) {
    folder_.write("profile.json", profile.dump());
    return report(with_curve() + "--profile " + path("profile.json") + more);
  };
  // Forward 8, backward until 12, 16 and 20 ms. The first message, 2 MB, starts at 16 ms for 2 ms,
  // in which 2 / 1.5 ms are computed: 3 MB start at 20 2/3 ms, for 3 ms; update 2 ms.
  const json found = ask("");
  EXPECT_EQ(found["measured_gpus"], 2);
  EXPECT_EQ(found["measured_seconds"], 0.026);
  EXPECT_NEAR(found["predicted_seconds"].get<double>(), 77.0 / 3 * ms, 1e-9);
  EXPECT_EQ(found["contention"], 1.5);
  EXPECT_EQ(found["to_device_seconds"], 0.003);
  // Flags override measurements.
  const json stated = ask(" --contention 1 --h2d-gbps 1");
  EXPECT_NEAR(stated["predicted_seconds"].get<double>(), 25 * ms, 1e-9);
  EXPECT_NEAR(stated["to_device_seconds"].get<double>(), 1 * ms, 1e-12);
  // A prediction before the step is measured.
  profile["ddp"].erase("latency_seconds");
  const json before = ask("");
  EXPECT_FALSE(before.contains("measured_seconds"));
  EXPECT_NEAR(before["predicted_seconds"].get<double>(), 77.0 / 3 * ms, 1e-9);
  EXPECT_THAT(run(with_curve() + "--profile " + path("profile.json")).out,
              testing::HasSubstr("2 GPUs: not measured, predicted 25.667 ms (buckets of 25 MB)."));
  profile["ddp"]["latency_seconds"] = json::array();
  folder_.write("profile.json", profile.dump());
  expect_error(run(with_curve() + "--profile " + path("profile.json")),
               "has a \"ddp\" that no measurement gives");
  profile["ddp"]["latency_seconds"] = {0.025, 0.026, 0.040};
  // Without GPUs these two are not measured.
  profile["ddp"]["contention"] = profile["ddp"]["to_device_seconds"] = nullptr;
  EXPECT_EQ(ask("")["contention"], 1);
  profile["ddp"]["workers"] = 1;
  folder_.write("profile.json", profile.dump());
  expect_error(run(with_curve() + "--profile " + path("profile.json")),
               "has a \"ddp\" that no measurement gives");
}

TEST_F(TrainingProgram, CountsWhatDdpDoesBesideComputingAndSending) {
  // A copy takes 1 ms per MB, a scaling copy 2 ms.
  json copies = json::array();
  for (const double megabytes : {0.001, 1.0, 4.0}) {
    copies.push_back({{"bytes", megabytes * 1e6},
                      {"seconds", megabytes * ms},
                      {"scaled_seconds", megabytes * 2 * ms}});
  }
  json profile = ddp_profile({{"workers", 2},
                              {"latency_seconds", {0.050}},
                              {"worker_seconds", {0.020, 0.022}},
                              {"host_seconds", 0.030},
                              {"message_slowdown", 2},
                              {"copies", copies},
                              {"buffers", {{"float32", {1e6, 1e6}}, {"int64", {1e3}}}},
                              {"pack_seconds", 0.011},
                              {"unpack_seconds", 0.006},
                              {"buffers_seconds", 0.007}});
  const auto ask = [&] {
    folder_.write("profile.json", profile.dump());
    return report(with_curve() + "--profile " + path("profile.json"));
  };
  // Buffers: fp32 copied (2 ms), sent (2), copied back (1 + 1); int64 0.001 + 0.004 + 0.001: until
  // 6.006 ms. The slowest worker computes 1.1 times as long: forward 8.8, until 14.806. Layers of
  // 4.4 ms and their copies of 2, 2 and 6: until 21.206, 27.606 and 38.006. The first message, 2
  // MB, starts at 27.606; twice as slow, it is still hidden. The second, 3 MB: from 38.006 to
  // 41.006. Meanwhile 2 MB are copied back, until 40.006; 1 ms is exposed; 3 MB until 44.006;
  // update 2.2.
  const json found = ask();
  EXPECT_NEAR(found["predicted_seconds"].get<double>(), 46.206 * ms, 1e-9);
  EXPECT_NEAR(found["buffers_seconds"].get<double>(), 6.006 * ms, 1e-9);
  EXPECT_NEAR(found["pack_seconds"].get<double>(), 10 * ms, 1e-9);
  EXPECT_NEAR(found["unpack_seconds"].get<double>(), 5 * ms, 1e-9);
  EXPECT_NEAR(found["slowest_seconds"].get<double>(), 2.2 * ms, 1e-9);
  EXPECT_NEAR(found["exposed_communication_seconds"].get<double>(), 1 * ms, 1e-9);
  EXPECT_EQ(found["host_seconds"], 0);
  const json buckets = found["iterations"].back()["strategy"] == "parameter server"
                           ? found["iterations"][found["iterations"].size() - 2]
                           : json{};
  EXPECT_EQ(buckets["strategy"], "buckets of 25 MB");
  EXPECT_NEAR(buckets["copies_seconds"].get<double>(), 15 * ms, 1e-9);
  EXPECT_NEAR(buckets["other_seconds"].get<double>(), 8.206 * ms, 1e-9);
  EXPECT_THAT(run(with_curve() + "--profile " + path("profile.json")).out,
              testing::HasSubstr("2 GPUs, buffers 6.006 ms (measured alone 7.000 ms), gradients "
                                 "into buckets 10.000 ms (measured alone 11.000 ms), back 5.000 ms "
                                 "(measured alone 6.000 ms), the slowest worker 2.200 ms"));
  // A layer's own message is sent in place: layers until 19.206, 23.606 and 28.006, then 3 MB and
  // the update.
  std::map<std::string, double> layers;
  for (const json& one : found["iterations"]) {
    if (one["strategy"] == "layer by layer") layers[one["computation"]] = one["seconds"];
  }
  EXPECT_NEAR(layers.at("pytorch"), 33.206 * ms, 1e-9);
  // One GPU does none of it.
  EXPECT_NEAR(find(found, 1, "input overlapped")["seconds"].get<double>(), 11 * ms, 1e-9);
  // A host that cannot keep up.
  profile["ddp"]["host_seconds"] = 0.050;
  const json late = ask();
  EXPECT_NEAR(late["predicted_seconds"].get<double>(), 50 * ms, 1e-9);
  EXPECT_NEAR(late["host_seconds"].get<double>(), 3.794 * ms, 1e-9);
  profile["ddp"]["copies"][0]["seconds"] = 0;
  folder_.write("profile.json", profile.dump());
  expect_error(run(with_curve() + "--profile " + path("profile.json")),
               "has a \"ddp\" that no measurement gives");
}

TEST_F(TrainingProgram, HasAChapterInThePaper) {
  const auto paper = folder_.path() / "paper";
  const Outcome outcome = run_program("paper --graph " + path("tiny.graph.json") + " --results " +
                                          path("results.json") + " --collectives " +
                                          path("nccl.json") + " --out " + paper.string(),
                                      folder_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(test::contents(paper / "tables/training_fp32.csv"),
              testing::HasSubstr("\"tiny, batch 10\",0.004,0.006,0.001,0.011,1.5"));
  // As above, layer by layer; buckets: 2 MB from 8 ms on, 3 MB from 10 ms on, without input times.
  EXPECT_THAT(test::contents(paper / "tables/scaling_fp32.csv"),
              testing::ContainsRegex("batch 10\",2,0.01(4|3999)[0-9]*,0.00(3|2999)[0-9]*,1.571"));
  EXPECT_THAT(test::contents(paper / "index.html"), testing::HasSubstr("Training steps, fp32: ms"));
}

TEST_F(TrainingProgram, NodesAreConnectedByTheNetwork) {
  // Two nodes of two: 5 ms inside, plus a ring of two at 1e-9 s per byte: 2 * (0 + 2.5 ms).
  const json found = report(with_curve() + "--gpus 4 --network 0,1e-9");
  EXPECT_EQ(found["gpus_per_node"], 2);
  EXPECT_NEAR(find(found, 4, "no overlap")["communication_seconds"].get<double>(), 10 * ms, 1e-9);
  // One GPU per node needs no curve.
  const json alone = report("--gpus 4 --network 0.001,0");
  EXPECT_NEAR(find(alone, 4, "layer by layer")["communication_seconds"].get<double>(), 3 * 6 * ms,
              1e-9);
  expect_error(run(with_curve() + "--gpus 4"), "4 GPUs: 2 nodes: no --network; ");
  expect_error(run(with_curve() + "--gpus 3 --network 0,1e-9"), "no whole nodes of 2");
}

TEST_F(TrainingProgram, AMeasuredNetworkHasARankOnEachNode) {
  const json found = report(with_curve() + "--gpus 4 --network " + path("nccl.json"));
  EXPECT_NEAR(find(found, 4, "no overlap")["communication_seconds"].get<double>(), 10 * ms, 1e-9);
}

TEST_F(TrainingProgram, AnEpochCostsTheSameOnAsManyGpusAtFullEfficiency) {
  // 3.6 USD per hour are 0.001 per second; 1000 samples are 100 iterations of 11 ms.
  const json found =
      report(with_curve() + "--prices " + path("prices.json") + " --epoch-samples 1000");
  EXPECT_NEAR(find(found, 1, "input overlapped")["usd_per_epoch"].get<double>(), 0.0011, 1e-9);
  EXPECT_NEAR(find(found, 2, "layer by layer")["usd_per_epoch"].get<double>(), 0.0014, 1e-9);
  expect_error(run("--prices " + path("prices.json")), "--prices: needs --epoch-samples");
}

TEST_F(TrainingProgram, AMessageBeyondTheCurveIsNoEstimate) {
  const json found = report(with_curve() + "--bucket-mb one");
  EXPECT_TRUE(find(found, 2, "one message")["seconds"].is_null());
  EXPECT_FALSE(find(found, 2, "layer by layer")["seconds"].is_null());
  EXPECT_THAT(run(with_curve() + "--bucket-mb one").out,
              testing::HasSubstr("measured up to 4000000 bytes, and a message has 5000000"));
}

TEST_F(TrainingProgram, PlotsAreInThePage) {
  const Outcome outcome = run(with_curve() + "--html " + path("page.html"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string page = test::contents(path("page.html"));
  for (const char* const words : {"speed-up", "exposed communication: 3.000 ms", "ideal",
                                  "communication 2: 10.000 to 13.000 ms"}) {
    EXPECT_THAT(page, testing::HasSubstr(words));
  }
}

TEST_F(TrainingProgram, ErrorsAreOneLine) {
  expect_error(run("--bucket-mb none"), "--bucket-mb none: give MiB, \"layer\" or \"one\"");
  expect_error(run("--gpus two"), "--gpus two: give a whole number");
  expect_error(run("--io-seconds 1 --images-per-second-io 1"), "give one of them");
  expect_error(run("--gradients bf16 " + with_curve()), "no collective at bf16");
  graph_["layers"][1]["phase"] = graph_["layers"][2]["phase"] = graph_["layers"][3]["phase"] = "";
  for (json& one : graph_["layers"]) one["gradient_elements"] = 0;
  write_graph();
  expect_error(run(""), "its layers have no phases: give the graph of a training step");
}

TEST_F(TrainingProgram, AHoleIsNamed) {
  graph_["layers"][1]["problems"] = {"relu/5"};
  write_graph();
  expect_error(run(""), "relu/5");
  EXPECT_THAT(run("--allow-missing").out, testing::HasSubstr("PARTIAL"));
}

}  // namespace
}  // namespace benanza::analysis
