// Traces of PyTorch on a GPU that are no run of the model asked about: refused, or seen-best is not
// below what the model's runs take.

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "analysis/tests/false_profiles.h"

namespace benanza::analysis {
namespace {

using test::Blocks;
using test::TraceWriter;

class FalseTraces : public test::FalseProfiles {
 protected:
  Answer ask_trace(const nlohmann::json& trace, const Graph& graph = Blocks().graph()) const {
    return ask(graph, folder_.write("t.json", trace.dump()).string(), true);
  }
  Answer ask_trace(const TraceWriter& trace, const Graph& graph = Blocks().graph()) const {
    return ask_trace(trace.json(), graph);
  }

  static TraceWriter run(const Blocks& blocks = {}) {
    TraceWriter trace;
    for (int i = 0; i < Blocks::count; ++i) blocks.relu(blocks.conv(trace, i), i);
    return trace;
  }
};

/// `some` of ten blocks.
std::set<int> chosen(unsigned seed, std::size_t some) {
  std::vector<int> blocks(Blocks::count);
  std::iota(blocks.begin(), blocks.end(), 0);
  std::mt19937 random(seed);
  std::ranges::shuffle(blocks, random);
  return {blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(some)};
}

TEST_F(FalseTraces, ATrueOneCounts) { expect_time(ask_trace(run()), 100); }

TEST_F(FalseTraces, OfOtherDimensions) {
  expect_refused(ask_trace(run({.size = 8})), "profile of other dimensions than blocks, batch 1");
}

TEST_F(FalseTraces, OfAnotherBatch) {
  expect_refused(ask_trace(run(), Blocks{.batch = 4}.graph()), "profile of batch 1");
}

TEST_F(FalseTraces, OfAnotherGpu) {
  nlohmann::json trace = run().json();
  trace["deviceProperties"][0]["name"] = "a faster GPU";
  expect_refused(ask_trace(trace),
                 "profile of a run on a faster GPU, and the results (cudnn) are of a GPU");
}

TEST_F(FalseTraces, OfTheSecondGpuOfItsMachine) {
  nlohmann::json trace = run().json();
  trace["deviceProperties"].push_back({{"id", 1}, {"name", "a faster GPU"}});
  for (nlohmann::json& event : trace["traceEvents"]) {
    if (event["cat"] == "kernel") event["args"]["device"] = 1;
  }
  expect_refused(ask_trace(trace), "a faster GPU");
}

TEST_F(FalseTraces, OfAnotherPrecision) {
  TraceWriter trace;
  trace.type("c10::Half");
  const Blocks blocks;
  for (int i = 0; i < Blocks::count; ++i) blocks.relu(blocks.conv(trace, i), i);
  expect_refused(ask_trace(trace), "profile of a run at fp16");
}

TEST_F(FalseTraces, OfElementwiseOperatorsOfAnotherPrecision) {
  TraceWriter trace;
  Graph graph = Blocks().graph();
  std::erase_if(graph.layers, [](const Layer& layer) { return layer.op == "Conv"; });
  trace.type("c10::BFloat16");
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    graph.layers[i].inputs.clear();
    Blocks().relu(trace, static_cast<int>(i));
  }
  expect_refused(ask_trace(trace, graph), "profile of a run at bf16");
}

// Two blocks did not run: they are taken at the measured 12 us.
TEST_F(FalseTraces, OfATruncatedModel) {
  const Blocks blocks;
  TraceWriter trace;
  for (int i = 0; i < 8; ++i) blocks.relu(blocks.conv(trace, i), i);
  const Answer answer = ask_trace(trace);
  expect_time(answer, 8 * 10 + 2 * 12);
  EXPECT_EQ(answer.seen["profiles"][0]["layers_left"], 4);
  EXPECT_EQ(answer.seen["profiles"][0]["lacks"], "c8");
  EXPECT_EQ(answer.seen["whole_run"], nullptr);
}

// Slower convolutions than the measured ones, without their ReLUs: 88 us are no run of the model.
TEST_F(FalseTraces, OfConvolutionsAlone) {
  const Blocks blocks;
  TraceWriter trace;
  for (int i = 0; i < 8; ++i) blocks.conv(trace, i, {{"sgemm", 11}});
  expect_time(ask_trace(trace), 120);
}

TEST_F(FalseTraces, WithDroppedKernels) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const std::set<int> dropped = chosen(seed, 3);
    const Blocks blocks;
    TraceWriter trace;
    for (int i = 0; i < Blocks::count; ++i) {
      blocks.conv(trace, i);
      if (!dropped.contains(i)) blocks.relu(trace, i);
    }
    expect_time(ask_trace(trace), 90 + 7 * 1 + 3 * 2);
  }
}

// An operator of two kernels, one of which the profiler dropped: its launch remains.
TEST_F(FalseTraces, WithHalfAnOperator) {
  for (const unsigned seed : {4U, 5U}) {
    const std::set<int> dropped = chosen(seed, 4);
    const Blocks blocks;
    TraceWriter trace;
    for (int i = 0; i < Blocks::count; ++i) {
      const std::string second = dropped.contains(i) ? "dropped" : "sgemm";
      blocks.relu(blocks.conv(trace, i, {{"transform", 2}, {second, 7}}), i);
    }
    nlohmann::json text = trace.json();
    nlohmann::json kept = nlohmann::json::array();
    for (const nlohmann::json& event : text["traceEvents"]) {
      if (event["name"] != "dropped") kept.push_back(event);
    }
    text["traceEvents"] = kept;
    expect_time(ask_trace(text), 10 * 1 + 6 * 9 + 4 * 10);
  }
}

// All ran, in another order: every operator is still its layer's.
TEST_F(FalseTraces, Reordered) {
  for (const unsigned seed : {6U, 7U}) {
    std::vector<int> order(2 * Blocks::count);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(seed);
    std::ranges::shuffle(order, random);
    const Blocks blocks;
    TraceWriter trace;
    for (const int at : order) {
      at % 2 == 0 ? blocks.conv(trace, at / 2) : blocks.relu(trace, at / 2);
    }
    expect_time(ask_trace(trace), 100);
  }
}

TEST_F(FalseTraces, MergedFromTwoRuns) {
  TraceWriter twice = run();
  const Blocks small{.size = 8};
  for (int i = 0; i < Blocks::count; ++i) small.relu(small.conv(twice, i), i);
  expect_refused(ask_trace(twice), "profile one run of that model");
  // Two blocks of a smaller run in the place of those of this one.
  TraceWriter mixed;
  for (int i = 0; i < Blocks::count; ++i) {
    const Blocks blocks{.size = i < 2 ? 8 : 16};
    blocks.relu(blocks.conv(mixed, i), i);
  }
  expect_refused(ask_trace(mixed), "c0 is conv/1x8x8x8");
}

// What did the ReLUs has another name, but it ran in their place: the run is whole.
TEST_F(FalseTraces, Renamed) {
  const Blocks blocks;
  TraceWriter trace;
  for (int i = 0; i < Blocks::count; ++i) {
    blocks.conv(trace, i);
    trace.op("my::activation", {blocks.result(i)}, {}, {{"kernel", 1}});
  }
  const Answer answer = ask_trace(trace);
  expect_time(answer, 100);
  EXPECT_NEAR(answer.seen["combined_seconds"].get<double>(), 110e-6, 1e-9);
}

TEST_F(FalseTraces, AnUnknownOperatorElsewhereDidNotDoWhatIsMissing) {
  const Blocks blocks;
  TraceWriter trace;
  trace.op("my::input", {{1, 8, 16, 16}}, {}, {{"kernel", 1}});
  for (int i = 0; i < Blocks::count; ++i) blocks.conv(trace, i);
  trace.op("aten::fill_", {{1}}, {}, {{"Memset (Device)", 1}});
  expect_time(ask_trace(trace), 90 + 20);
}

}  // namespace
}  // namespace benanza::analysis
