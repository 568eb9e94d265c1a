// Results of a processor and of a GPU in one folder, as scripts/bench leaves them where there is
// one.

#include "analysis/input/results.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "analysis/tests/build.h"
#include "analysis/tests/small_model.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using test::measured;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

/// The processor is faster: a call of 1 us there, 2 and 3 us on the GPU.
Results results(const std::string& device_of_cublas = "an H200") {
  Results results{.measurements = {},
                  .systems = {{"onednn", {{"cpu_model", "an EPYC"}}},
                              {"cudnn", {{"device", "an H200"}}},
                              {"cublas", {{"device", device_of_cublas}}}},
                  .peaks = {{"onednn", {}}, {"cudnn", {}}}};
  results.measurements.add(measured("relu/1x8/fp32/plain/onednn/jit", {1e-6}));
  results.measurements.add(measured("relu/1x8/fp32/plain/cudnn/activation", {2e-6}));
  results.measurements.add(measured("gemm/m1_n2_k8_nn/fp32/plain/cublas/gemm", {3e-6}));
  results.measurements.add(measured("tanh/1x8/fp32/plain/onednn/jit", {1e-6}));
  return results;
}

TEST(OneDevice, IsTheGpuWhereThereIsOne) {
  Results both = results();
  EXPECT_EQ(keep_one_device(both, ""),
            "left out: results of onednn (a processor); --backend onednn answers for it");
  EXPECT_THAT(both.systems, ElementsAre(Key("cublas"), Key("cudnn")));
  EXPECT_THAT(both.peaks, ElementsAre(Key("cudnn")));
  ASSERT_EQ(both.measurements.find("relu/1x8").size(), 1U);
  EXPECT_EQ(both.measurements.find("relu/1x8")[0].variant.backend, "cudnn");
  EXPECT_THAT(both.measurements.keys(), ElementsAre("gemm/m1_n2_k8_nn", "relu/1x8"));
}

TEST(OneDevice, IsThatOfTheBackendOrOfTheProfile) {
  Results asked = results();
  EXPECT_EQ(keep_one_device(asked, "onednn"),
            "left out: results of cublas, cudnn (a GPU); --backend cublas answers for one of them");
  EXPECT_THAT(asked.measurements.keys(), ElementsAre("relu/1x8", "tanh/1x8"));
  Results profiled = results();
  keep_one_device(profiled, "", DeviceKind::processor);
  EXPECT_THAT(profiled.systems, ElementsAre(Key("onednn")));
  // The backend decides.
  Results gpu = results();
  keep_one_device(gpu, "cudnn", DeviceKind::processor);
  EXPECT_THAT(gpu.systems, ElementsAre(Key("cublas"), Key("cudnn")));
}

TEST(OneDevice, AloneLeavesNothingOut) {
  Results one = results();
  keep_one_device(one, "");
  EXPECT_EQ(keep_one_device(one, ""), "");
  EXPECT_EQ(one.measurements.keys().size(), 2U);
}

// Results from before there was a GPU.
TEST(OneDevice, IsTheSameForResultsThatAreCompared) {
  Results now = results();
  Results old = of_one_device(results(), "onednn");
  EXPECT_EQ(keep_one_device(std::array{&old, &now}, ""),
            "left out: results of cublas, cudnn (a GPU); --backend cublas answers for one of them");
  EXPECT_THAT(now.systems, ElementsAre(Key("onednn")));
  Results one = results();
  Results other = results();
  keep_one_device(std::array{&one, &other}, "");
  EXPECT_THAT(one.systems, ElementsAre(Key("cublas"), Key("cudnn")));
  EXPECT_THAT(other.systems, ElementsAre(Key("cublas"), Key("cudnn")));
}

TEST(OneDevice, TwoGpusAreAnError) {
  Results two = results("an H100");
  try {
    keep_one_device(two, "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("results of two devices: cublas of an H100, cudnn of an "
                                        "H200; give those of one, or say --backend cublas"));
  }
  EXPECT_NO_THROW(keep_one_device(two, "cudnn"));
}

/// A folder with results of a processor and of a GPU.
class OneDeviceProgram : public test::SmallModel {
 protected:
  /// A call takes 1 ms on the processor, and `gpu_seconds` on the GPU.
  std::string both(const std::string& name, double gpu_seconds) const {
    const auto text = [&](double seconds) {
      return test::results_text(
          rows([&](const std::string&) { return std::vector<double>(1, seconds); }));
    };
    const auto replace_all = [](std::string from, std::string_view what, std::string_view with) {
      for (std::size_t at = 0; (at = from.find(what, at)) != from.npos; at += with.size()) {
        from.replace(at, what.size(), with);
      }
      return from;
    };
    folder_.write(name + "/onednn.json", text(0.001));
    folder_.write(name + "/cudnn.json",
                  replace_all(replace_all(text(gpu_seconds), "onednn", "cudnn"),
                              R"("cpu_model": "a CPU")", R"("device": "a GPU")"));
    return path(name);
  }
  /// The LBLs that a table's column holds.
  static std::vector<double> seconds(const nlohmann::json& rows, const char* column) {
    std::vector<double> found;
    for (const auto& row : rows) found.push_back(row[column].get<double>());
    return found;
  }
};

TEST_F(OneDeviceProgram, BoundsDoNotMixTheCallsOfTwo) {
  const std::string folder = both("r", 0.002);
  const std::string begin = "bound --graph " + graph_ + " --results " + folder;
  const test::Outcome gpu = run(begin);
  EXPECT_EQ(gpu.status, 0) << gpu.err;
  EXPECT_THAT(gpu.out, HasSubstr("\nleft out: results of onednn (a processor); --backend onednn "
                                 "answers for it\n"));
  const auto sequential = [&](const std::string& more) {
    const auto page = nlohmann::json::parse(run(begin + " --format json" + more).out);
    return page["reports"][0]["bounds"]["sequential"]["seconds"].get<double>();
  };
  EXPECT_DOUBLE_EQ(sequential(""), 2 * sequential(" --backend onednn"));
  // ONNX Runtime's run is of a processor.
  EXPECT_DOUBLE_EQ(sequential(" --profile " + test::data("small.onnxruntime.json").string()),
                   sequential(" --backend onednn"));
}

TEST_F(OneDeviceProgram, NeitherDoHistoriesAndComparisons) {
  const std::string old = both("a", 0.002);
  const std::string now = both("b", 0.003);
  const auto history = nlohmann::json::parse(
      run("history " + old + ' ' + now + " --format json --graph " + graph_).out);
  for (const auto& report : history["reports"]) {
    if (!report.contains("bounds")) continue;
    const auto times = seconds(report["bounds"], "sequential_seconds");
    EXPECT_DOUBLE_EQ(times[1], 1.5 * times[0]);
  }
  const auto compared = nlohmann::json::parse(
      run("compare " + old + ' ' + now + " --format json --graph " + graph_).out);
  const auto& sequential = compared["reports"].back()["sequential"];
  EXPECT_DOUBLE_EQ(sequential["after_seconds"].get<double>(),
                   1.5 * sequential["before_seconds"].get<double>());
}

}  // namespace
}  // namespace benanza::analysis
