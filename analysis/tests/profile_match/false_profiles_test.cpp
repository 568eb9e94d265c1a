// Profiles of ONNX Runtime and JAX that are no run of the model asked about: refused, or seen-best
// is not below what the model's runs take.

#include <functional>

#include "analysis/tests/false_profiles.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::Blocks;

/// A file of scripts/profile-onnxruntime.
struct OnnxRuntimeFile {
  Blocks blocks{};
  json root = {{"schema", 1},
               {"framework", "onnxruntime"},
               {"version", "1.32.0"},
               {"model", "blocks"},
               {"batch", 1},
               {"precision", "fp32"},
               {"threads", 2},
               {"device", "a CPU"},
               {"latency_seconds", json::array({100e-6})},
               {"trace", json::array()}};
  double now = 1000;

  static json shape(const std::vector<int>& dims, const std::string& type) {
    return json::object({{type, dims}});
  }

  void node(const std::string& name, const std::string& op, int index, double microseconds,
            const std::vector<std::vector<int>>& inputs, const std::vector<int>& output,
            const std::string& type) {
    json read = json::array();
    for (const auto& dims : inputs) read.push_back(shape(dims, type));
    root["trace"].push_back({{"cat", "Node"},
                             {"name", name + "_kernel_time"},
                             {"ts", now},
                             {"dur", microseconds},
                             {"args",
                              {{"op_name", op},
                               {"node_index", std::to_string(index)},
                               {"provider", "CPUExecutionProvider"},
                               {"input_type_shape", read},
                               {"output_type_shape", json::array({shape(output, type)})}}}});
    now += microseconds;
  }

  /// One run; `named` may rename its operators or, with "", leave them out.
  OnnxRuntimeFile& run(const std::function<std::string(const std::string&)>& named = {},
                       const std::string& type = "float", double scale = 1) {
    const double begin = now++;
    for (int i = 0; i < Blocks::count; ++i) {
      const std::vector<int> input{blocks.batch, 8 + i, blocks.size, blocks.size};
      const auto add = [&](const std::string& name, const std::string& op, double microseconds,
                           const std::vector<std::vector<int>>& inputs) {
        const std::string as = named ? named(name) : name;
        if (as.empty()) return;
        node(as, op, 2 * i + (op == "Relu"), microseconds * scale, inputs, blocks.result(i), type);
      };
      add("c" + std::to_string(i), "Conv", 9, {input, {9 + i, 8 + i, 1, 1}});
      add("r" + std::to_string(i), "Relu", 1, {blocks.result(i)});
    }
    root["trace"].push_back(
        {{"cat", "Session"}, {"name", "model_run"}, {"ts", begin}, {"dur", now - begin}});
    now += 100;
    return *this;
  }

  void drop_shapes() {
    for (json& event : root["trace"]) {
      if (!event.contains("args")) continue;
      event["args"].erase("input_type_shape");
      event["args"].erase("output_type_shape");
    }
  }
};

class FalseOnnxRuntime : public test::FalseProfiles {
 protected:
  Answer ask_file(const OnnxRuntimeFile& file, const Graph& graph = Blocks().graph(),
                  bool on_gpu = false) const {
    return ask(graph, folder_.write("p.json", file.root.dump()).string(), on_gpu);
  }
};

TEST_F(FalseOnnxRuntime, ATrueOneCounts) {
  const Answer answer = ask_file(OnnxRuntimeFile().run());
  expect_time(answer, 100);
  EXPECT_EQ(answer.seen["profiles"][0]["layers_left"], 0);
}

TEST_F(FalseOnnxRuntime, OfOtherDimensions) {
  expect_refused(ask_file(OnnxRuntimeFile{.blocks = {.size = 8}}.run({}, "float", .25)),
                 "profile of other dimensions than blocks, batch 1: c0 writes 1x9x8x8, and "
                 "1x9x16x16 in the graph");
}

// Older profiles have no shapes: nothing of them is certain.
TEST_F(FalseOnnxRuntime, WithoutShapes) {
  OnnxRuntimeFile file{.blocks = {.size = 8}};
  file.run({}, "float", .25).drop_shapes();
  const Answer answer = ask_file(file);
  expect_time(answer, 120);
  EXPECT_EQ(answer.seen["profiles"][0]["layers_without_shapes"], 20);
}

TEST_F(FalseOnnxRuntime, OfABatchThatItDoesNotState) {
  OnnxRuntimeFile file;
  file.root["batch"] = nullptr;
  expect_refused(ask_file(file.run(), Blocks{.batch = 4}.graph()), "other dimensions");
}

TEST_F(FalseOnnxRuntime, OfAnotherProcessor) {
  OnnxRuntimeFile file;
  file.root["device"] = "a faster CPU";
  expect_refused(ask_file(file.run()), "profile of a run on a faster CPU");
}

TEST_F(FalseOnnxRuntime, OfMoreThreads) {
  OnnxRuntimeFile file;
  file.root["threads"] = 4;
  expect_refused(ask_file(file.run()), "a run with 4 threads, and the results (onednn) are of 2");
}

TEST_F(FalseOnnxRuntime, OfAnotherPrecisionThanItSays) {
  expect_refused(ask_file(OnnxRuntimeFile().run({}, "float16")), "profile of a run at fp16");
}

TEST_F(FalseOnnxRuntime, OfLaunchesOnAGpu) {
  OnnxRuntimeFile file;
  file.run({}, "float", .1);
  for (json& event : file.root["trace"]) {
    if (event.contains("args")) event["args"]["provider"] = "CUDAExecutionProvider";
  }
  file.root["device"] = nullptr;
  expect_refused(ask_file(file), "profile of a run on a GPU");
  expect_refused(ask_file(file, Blocks().graph(), true), "launching them on CUDAExecutionProvider");
}

// The last four blocks did not run, and the latency is that of the others.
TEST_F(FalseOnnxRuntime, OfATruncatedModel) {
  OnnxRuntimeFile file;
  file.root["latency_seconds"] = {60e-6};
  file.run([](const std::string& name) { return name[1] >= '6' ? "" : name; });
  const Answer answer = ask_file(file);
  expect_time(answer, 60 + 4 * 12);
  EXPECT_EQ(answer.seen["profiles"][0]["lacks"], "c6");
}

// In two of three runs, some operators are missing: they did not take no time.
TEST_F(FalseOnnxRuntime, WithOperatorsMissingInSomeRuns) {
  OnnxRuntimeFile file;
  const auto some = [](const std::string& name) {
    return name[0] == 'r' && (name[1] - '0') % 2 == 1 ? "" : name;
  };
  file.run(some).run().run(some);
  // The latency, 100 us, is that of all that ran, but nothing shows that the last ReLU did.
  expect_time(ask_file(file), 90 + 5 * 1 + 5 * 2);
}

TEST_F(FalseOnnxRuntime, WithNamesSwapped) {
  OnnxRuntimeFile file;
  file.run([](const std::string& name) {
    return name == "c0" ? "c1" : name == "c1" ? "c0" : name;
  });
  expect_refused(ask_file(file), "c0 writes 1x10x16x16");
  OnnxRuntimeFile kinds;
  kinds.run([](const std::string& name) { return (name[0] == 'c' ? "r" : "c") + name.substr(1); });
  expect_time(ask_file(kinds), 120);
}

/// Ten blocks of equal shapes.
Graph equal_blocks() {
  Graph graph = Blocks().graph();
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    graph.layers[i].problems = graph.layers[i % 2].problems;
    graph.layers[i].outputs.front().shape = graph.layers[0].outputs.front().shape;
  }
  return graph;
}

// As many operators as layers, whose names are gone: the order alone is no evidence.
TEST_F(FalseOnnxRuntime, WithNamesGone) {
  OnnxRuntimeFile file;
  int count = 0;
  file.run([&](const std::string&) { return "node" + std::to_string(count++); });
  for (json& event : file.root["trace"]) {
    if (!event.contains("args")) continue;
    event["args"]["output_type_shape"][0]["float"] = {1, 9, 16, 16};
    if (event["args"]["op_name"] == "Conv") {
      event["args"]["input_type_shape"] = {{{"float", {1, 8, 16, 16}}}, {{"float", {9, 8, 1, 1}}}};
    }
  }
  expect_time(ask_file(file, equal_blocks()), 120);
}

// One name is gone, and nothing else can have done its layer.
TEST_F(FalseOnnxRuntime, ANeighbourhoodThatLeavesOnePossibilityIsEvidence) {
  OnnxRuntimeFile file;
  file.run([](const std::string& name) { return name == "r4" ? "token_7" : name; });
  expect_time(ask_file(file), 100);
}

TEST_F(FalseOnnxRuntime, MergedFromTwoRuns) {
  OnnxRuntimeFile file{.blocks = {.size = 8}};
  file.root["latency_seconds"] = {25e-6};  // of the small run
  file.run({}, "float", .25);
  file.blocks.size = 16;
  file.run();
  const Answer answer = ask_file(file);
  expect_time(answer, 100);
  EXPECT_NEAR(answer.seen["profiles"][0]["whole_seconds"].get<double>(), 100e-6, 1e-9);
}

/// Ten products of 32 rows, each of one column more, of 9 us each; the calls take 10.
struct JaxFiles {
  int rows = 32;
  std::string type = "f32";
  std::string module = "jit_blocks";
  std::vector<std::vector<int>> steps{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};

  static Graph graph() {
    Graph graph{.model = "blocks", .batch = 1, .opset = 13};
    for (int i = 0; i < Blocks::count; ++i) {
      graph.layers.push_back(
          {.name = "m" + std::to_string(i),
           .op = "MatMul",
           .inputs = i == 0 ? std::vector<std::size_t>{}
                            : std::vector<std::size_t>{static_cast<std::size_t>(i - 1)},
           .problems = {"gemm/m32_n" + std::to_string(9 + i) + "_k" + std::to_string(8 + i) +
                        "_nn_w"},
           .outputs = {
               {.name = "y" + std::to_string(i), .type = "float", .shape = Dims{32, 9 + i}}}});
    }
    return graph;
  }

  std::string hlo() const {
    std::string text =
        "HloModule jit_blocks, is_scheduled=true\n\nENTRY %main.1 (x: f32[]) -> f32[] {\n";
    const auto matrix = [&](int m, int n) {
      return type + '[' + std::to_string(m) + ',' + std::to_string(n) + "]{1,0} ";
    };
    text += "  %dot.0 = " + matrix(rows, 8) + "parameter(0)\n";
    for (int i = 0; i < Blocks::count; ++i) {
      const std::string at = std::to_string(i);
      text += "  %w." + at + " = " + matrix(8 + i, 9 + i) + "parameter(" + std::to_string(i + 1) +
              ")\n  %dot." + std::to_string(i + 1) + " = " + matrix(rows, 9 + i) + "dot(%dot." +
              at + ", %w." + at + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    }
    return text + "}\n";
  }

  json trace() const {
    json events = json::array();
    double now = 0;
    const auto add = [&](const std::string& name, double duration, json details) {
      events.push_back({{"ph", "X"},
                        {"pid", 7},
                        {"ts", now},
                        {"dur", duration},
                        {"name", name},
                        {"args", std::move(details)}});
    };
    for (std::size_t step = 0; step < steps.size(); ++step) {
      add("step", 500, {{"step_num", std::to_string(step)}});
      for (const int i : steps[step]) {
        const std::string name = "dot." + std::to_string(i + 1);
        add(name, 9, {{"hlo_op", name}, {"hlo_module", module}});
        now += 10;
      }
      now += 1000;
    }
    return {{"traceEvents", events}};
  }
};

class FalseJax : public test::FalseProfiles {
 protected:
  Answer ask_files(const JaxFiles& files, const json& more = json::object()) const {
    folder_.write("p.hlo.txt", files.hlo());
    folder_.write("p.trace.json", files.trace().dump());
    json root = {{"schema", 1},         {"framework", "jax"},
                 {"version", "0.10.2"}, {"model", "blocks"},
                 {"batch", 1},          {"precision", "fp32"},
                 {"device", "a CPU"},   {"latency_seconds", json::array({95e-6})},
                 {"hlo", "p.hlo.txt"},  {"trace", "p.trace.json"}};
    root.update(more);
    return ask(JaxFiles::graph(), folder_.write("p.json", root.dump()).string(), false);
  }
  void expect_seconds(const Answer& answer, double microseconds) const {
    EXPECT_EQ(answer.error, "");
    EXPECT_NEAR(answer.microseconds.value_or(-1), microseconds, 1e-3) << answer.seen.dump(1);
    EXPECT_GE(microseconds, 90) << "below every run";
  }
};

TEST_F(FalseJax, ATrueOneCounts) { expect_seconds(ask_files({}), 90); }

TEST_F(FalseJax, OfOtherDimensions) {
  expect_refused(ask_files({.rows = 16}), "m0 is gemm/m16_n9_k8_nn, and gemm/m32_n9_k8_nn_w");
}

TEST_F(FalseJax, OfTheTraceOfAnotherProgram) {
  expect_refused(ask_files({.module = "jit_small"}), "is of the program jit_small");
}

TEST_F(FalseJax, OfTheTextOfAnotherRun) {
  expect_refused(ask_files({}, {{"files", {{"p.hlo.txt", 1}}}}),
                 "is of another run than p.hlo.txt");
}

TEST_F(FalseJax, OfAnotherPrecisionThanItSays) {
  expect_refused(ask_files({.type = "bf16"}), "profile of a run at bf16");
}

TEST_F(FalseJax, OfAnotherProcessor) {
  expect_refused(ask_files({}, {{"device", "a faster CPU"}}), "a faster CPU");
}

TEST_F(FalseJax, WithoutTwoOfItsProducts) {
  const Answer answer =
      ask_files({.steps = {{0, 1, 2, 3, 4, 5, 6, 7}}}, {{"latency_seconds", {70e-6}}});
  expect_seconds(answer, 8 * 9 + 2 * 10);
  EXPECT_EQ(answer.seen["profiles"][0]["lacks"], "m8");
}

TEST_F(FalseJax, WithStepsThatLackOperators) {
  const std::vector<int> some{0, 1, 2, 3, 4};
  expect_seconds(ask_files({.steps = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, some, some}}), 90);
}

}  // namespace
}  // namespace benanza::analysis
