// benanza-analyze as a user runs it: output, streams and exit status.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::contents;
using test::data;
using test::Folder;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A results file in which every problem of `graph` except `left_out` takes 10 us.
std::string complete_results(const Graph& graph, const std::string& left_out = "") {
  std::string rows;
  const auto add = [&](const std::string& key) {
    if (key == left_out) return;
    if (!rows.empty()) rows += ",\n";
    rows += row(key + "/fp32/any/onednn/jit", "[1e-5, 1e-5, 1e-5]");
  };
  for (const Layer& layer : graph.layers) {
    for (const std::string& key : layer.problems) add(key);
  }
  for (const Fusion& fusion : graph.fusions) add(fusion.problem);
  return results_text(rows);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// `results` as if the GPU of the recorded trace had measured them, at `precision`.
std::string of_gpu(const std::string& results, const std::string& precision = "fp32") {
  return replaced(
      replaced(results, R"("cpu_model": "a CPU")", R"("device": "NVIDIA H100 80GB HBM3")"),
      "/fp32/", '/' + precision + '/');
}

class Program : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const { return run_program(arguments, folder_); }
  void expect_error(const std::string& arguments, const std::string& says) const {
    test::expect_error(run(arguments), says);
  }

  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

  const std::string graph_ = data("small.graph.json").string();
  const std::string profile_ = data("small.onnxruntime.json").string();
  const Folder folder_;
};

TEST_F(Program, AnswersWithATable) {
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  const Outcome result = run("bound --graph " + graph_ + " --results " + results);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  // 19 measured layers of one call each, the convolution with a bias as one fused call.
  EXPECT_THAT(result.out, HasSubstr("LBL sequential  0.190 ms"));
  EXPECT_THAT(result.out, Not(HasSubstr("PARTIAL")));
}

TEST_F(Program, TheProfileAddsLatencyAndRatio) {
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  const Outcome result = run("bound --graph " + graph_ + " --results " + results + " --profile " +
                             profile_ + " --format json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json profile = json::parse(result.out)["reports"][0]["profiles"][0];
  EXPECT_EQ(profile["framework"], "onnxruntime");
  // The two middle ones of the 20 latencies are 2.6374 and 6.4305 ms.
  EXPECT_NEAR(profile["latency_seconds"].get<double>(), 4.53393e-3, 1e-8);
  EXPECT_NEAR(profile["benanza_ratio"]["sequential"].get<double>(), 0.190 / 4.53393, 1e-5);
  EXPECT_EQ(profile["losses"][0]["operator"], "lrn");
  EXPECT_NEAR(profile["losses"][0]["lost_seconds"].get<double>(), 1929e-6, 1e-12);
}

TEST_F(Program, AMissingMeasurementIsNamedAndAnErrorUnlessAllowed) {
  const Graph graph = read_graph(graph_);
  const std::string results =
      write("r.json", complete_results(graph, "lrn/1x56x32x32_n5_a1e-04_b0.75_k1"));
  const std::string arguments = "bound --graph " + graph_ + " --results " + results;
  expect_error(arguments,
               "lrn/1x56x32x32_n5_a1e-04_b0.75_k1 (not measured at fp32; layer \"lrn\")");
  const Outcome allowed = run(arguments + " --allow-missing");
  EXPECT_EQ(allowed.status, 0);
  EXPECT_THAT(allowed.out, AllOf(HasSubstr("LBL sequential  0.180 ms"), HasSubstr("PARTIAL")));
}

TEST_F(Program, OnePerPrecisionAndModel) {
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  const Outcome result = run("bound --graph " + graph_ + " " + graph_ + " --results " + results +
                             " --precision fp32,bf16 --allow-missing --format json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["reports"].size(), 4);
}

// As of a recording: the first layer at bf16, whatever is asked for.
TEST_F(Program, LayersOfTheirOwnPrecisionAreStated) {
  std::string text = contents(graph_);
  const std::string cost = "\"cost\": \"measured\"";
  text.replace(text.find(cost), cost.size(), cost + ", \"precision\": \"bf16\"");
  const std::string graph = write("own.graph.json", text);
  const std::string rows = complete_results(read_graph(graph));
  write("fp32.json", rows);
  write("bf16.json", replaced(rows, "/fp32/", "/bf16/"));
  const std::string arguments = "bound --graph " + graph + " --results " + folder_.path().string();
  const Outcome both =
      run(arguments + "/fp32.json --results " + folder_.path().string() + "/bf16.json");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("1 layer at bf16, as the graph file says; fp32 for the other"));
  expect_error(arguments + "/fp32.json", "not measured at bf16");
  const Outcome plain = run("bound --graph " + graph_ + " --results " + write("r.json", rows));
  EXPECT_THAT(plain.out, Not(HasSubstr("own precision")));
}

TEST_F(Program, TypingErrorsAreOneLine) {
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  const std::string good = "bound --graph " + graph_ + " --results " + results;
  expect_error("", "--help");
  expect_error("frobnicate", "frobnicate");
  expect_error(good + " --frobnicate", "--frobnicate");
  expect_error("bound --results " + results, "--graph");
  expect_error("bound --graph " + graph_, "--results");
  expect_error(good + " --precision fp31", "fp31");
  expect_error(good + " --layout hwcn", "hwcn");
  expect_error(good + " --backend cudnn", "onednn");
  expect_error(good + " --fallback fp31", "fp31");
  expect_error(good + " --movement maybe", "maybe");
  expect_error(good + " --format xml", "xml");
  expect_error(good + " --layers few", "few");
}

TEST_F(Program, BadFilesAreOneLine) {
  const std::string text = complete_results(read_graph(graph_));
  const std::string results = write("r.json", text);
  const std::string cut = write("bad/cut.json", text.substr(0, text.size() / 2));
  const std::string cut_profile = write("cut_profile.json", contents(profile_).substr(0, 4000));
  const std::string other_profile = data("torchvision_alexnet.onnxruntime.json").string();
  expect_error("bound --graph " + graph_ + " --results " + cut, cut);
  expect_error("bound --graph " + results + " --results " + results, "graph file");
  expect_error("bound --graph none.json --results " + results, "none.json");
  const std::string good = "bound --graph " + graph_ + " --results " + results;
  expect_error(good + " --profile " + cut_profile, "cut short");
  expect_error(good + " --profile " + other_profile, "of torchvision_alexnet, batch 1");
}

TEST_F(Program, AProfileThatOnlyCallsItselfThisModelIsNoProfileOfIt) {
  std::string text = contents(data("torchvision_alexnet.onnxruntime.json"));
  const std::string name = "\"torchvision_alexnet\"";
  text.replace(text.find(name), name.size(), "\"small\"");
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  expect_error(
      "bound --graph " + graph_ + " --results " + results + " --profile " + write("p.json", text),
      "convolutions and matrix products");
}

TEST_F(Program, InspectsATrace) {
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string graph = data("resnet50.graph.json.gz").string();
  const Outcome result = run("inspect --graph " + graph + " --profile " + trace);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("174 of 174 layers"));
  expect_error("inspect --graph " + graph_ + " --profile " + trace, "another model");
  expect_error("inspect --graph " + graph + " --profile " + profile_, "another model");
  expect_error("inspect --graph " + graph_ + " --profile " + profile_, "what the GPU did");
  expect_error("inspect --graph " + graph, "--profile");
  expect_error("inspect --profile " + trace, "--graph");
  expect_error("inspect --graph " + graph + ' ' + graph_ + " --profile " + trace, "alone");
  expect_error("inspect --graph " + graph + " --profile " + trace + " --format xml", "xml");
}

TEST_F(Program, ABareTraceHasNoLatencyButWhatTheGpuWorked) {
  const std::string graph = data("resnet50.graph.json.gz").string();
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string results = write("r.json", of_gpu(complete_results(read_graph(graph))));
  const Outcome result =
      run("bound --graph " + graph + " --results " + results + " --profile " + trace);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("latency not known"), HasSubstr("GPU busy"),
                                HasSubstr("precision: tf32 in the profile, fp32 in the results")));
}

TEST_F(Program, ProfileAndResultsOfUnlikeDevicesAreOneLine) {
  const std::string graph = data("resnet50.graph.json.gz").string();
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string cpu = write("cpu.json", complete_results(read_graph(graph)));
  const std::string of_small = complete_results(read_graph(graph_));
  const std::string gpu = write("gpu.json", of_gpu(of_small));
  for (const std::string& command :
       std::vector<std::string>{"bound", "joint", "report --out " + cpu + ".html"}) {
    expect_error(command + " --graph " + graph + " --results " + cpu + " --profile " + trace,
                 "profile of a run on a GPU, and the results (onednn) are of a processor");
    expect_error(command + " --graph " + graph_ + " --results " + gpu + " --profile " + profile_,
                 "profile of a run on a processor, and the results (onednn) are of a GPU");
  }
  EXPECT_FALSE(std::filesystem::exists(cpu + ".html"));
  // A processor's profile lists no GPU kernels.
  const std::string small = write("small.json", of_small);
  for (const std::string command : {"algorithms", "tensor-cores"}) {
    expect_error(command + " --graph " + graph_ + " --results " + small + " --profile " + profile_,
                 "does not say which kernels a GPU ran");
  }
}

TEST_F(Program, TheFrameworksKernelsAreBesideTheBestOnes) {
  const std::string graph = data("resnet50.graph.json.gz").string();
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string results = write("r.json", of_gpu(complete_results(read_graph(graph)), "tf32"));
  const std::string asked = " --graph " + graph + " --results " + results + " --profile " + trace +
                            " --allow-missing --format json";
  expect_error("algorithms" + asked, "say --precision tf32");
  const Outcome result = run("algorithms --precision tf32" + asked);
  ASSERT_EQ(result.status, 0) << result.err;
  const json totals = json::parse(result.out)["reports"][0]["framework_totals"];
  EXPECT_EQ(totals["found"], 54);  // 53 convolutions and the product
  const Outcome used = run("tensor-cores --precision tf32" + asked);
  ASSERT_EQ(used.status, 0) << used.err;
  const json kernels = json::parse(used.out)["reports"][0]["framework_totals"];
  EXPECT_EQ(kernels["with"].get<int>() + kernels["without"].get<int>(), 54) << kernels;
}

TEST_F(Program, AProfileOfDoublesIsLikeNoResults) {
  json doubles = json::parse(contents(profile_));
  doubles["precision"] = "fp64";
  const std::string small = write("small.json", complete_results(read_graph(graph_)));
  expect_error("bound --graph " + graph_ + " --results " + small + " --seen " +
                   write("fp64.json", doubles.dump()),
               "at fp64, which is like no --precision: leave it out");
}

TEST_F(Program, KernelsOfAProfileCountWithSeen) {
  const std::string graph = data("resnet50.graph.json.gz").string();
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string results = write("r.json", of_gpu(complete_results(read_graph(graph)), "tf32"));
  const std::string asked = "bound --graph " + graph + " --results " + results + " --seen " + trace;
  expect_error(asked, "profile of a run at tf32: say --precision tf32");
  expect_error("bound --precision tf32 --allow-missing --graph " + graph_ + " --results " +
                   results + " --seen " + trace,
               "another model");
  const Outcome text = run(asked + " --precision tf32");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("ladder"), HasSubstr("seen-best"),
                              HasSubstr("of 174 operators"), HasSubstr("measured us")));
  const Outcome result = run(asked + " --precision tf32 --format json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out)["reports"][0];
  const json& seen = report["seen"];
  EXPECT_EQ(seen["profiles"][0]["operators"], 174);
  EXPECT_EQ(seen["profiles"][0]["layers_left"], 0);
  // Every problem takes 10 us here; the profile's relus take some 2 us.
  EXPECT_LT(seen["seconds"], report["ladder"]["fused_seconds"]);
  EXPECT_EQ(seen["seconds"], report["ladder"]["seen_seconds"]);
  double least = 1;
  for (const json& win : seen["faster"]) {
    EXPECT_LT(win["seconds"], win["measured_seconds"]) << win;
    least = std::min(least, win["seconds"].get<double>());
  }
  EXPECT_LT(least, 5e-6);
  const std::string page = (folder_.path() / "page.html").string();
  const Outcome html = run("report --graph " + graph + " --results " + results + " --seen " +
                           trace + " --precision tf32 --out " + page);
  ASSERT_EQ(html.status, 0) << html.err;
  EXPECT_THAT(contents(page), AllOf(HasSubstr("seen-best"), HasSubstr("with fusion ms")));
}

TEST_F(Program, TheReportHasAChapterOnFusionAndOnTheFrameworksRun) {
  const std::string graph = data("resnet50.graph.json.gz").string();
  const std::string trace = data("resnet50.pytorch.trace.json.gz").string();
  const std::string results = write("r.json", of_gpu(complete_results(read_graph(graph)), "tf32"));
  const std::string page = (folder_.path() / "page.html").string();
  const std::string asked =
      "report --graph " + graph + " --results " + results + " --out " + page + " --precision tf32";
  ASSERT_EQ(run(asked).status, 0);
  EXPECT_THAT(contents(page),
              AllOf(HasSubstr(">fusion</h3>"), Not(HasSubstr("the framework's run"))));
  const Outcome with_run = run(asked + " --profile " + trace);
  ASSERT_EQ(with_run.status, 0) << with_run.err;
  EXPECT_THAT(contents(page), AllOf(HasSubstr(">the framework's run</h3>"),
                                    HasSubstr("174 of 174 layers have their operator")));
}

TEST_F(Program, AFullDiskIsAnError) {
  const std::string results = write("r.json", complete_results(read_graph(graph_)));
  const auto err = folder_.path() / "err.txt";
  const std::string line = std::string(BENANZA_ANALYZE) + " bound --graph " + graph_ +
                           " --results " + results + " >/dev/full 2>" + err.string();
  EXPECT_NE(std::system(line.c_str()), 0);
  EXPECT_THAT(contents(err), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace benanza::analysis
