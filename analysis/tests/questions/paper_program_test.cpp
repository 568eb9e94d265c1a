// `benanza-analyze paper`: its tables and figures, from small models with made-up times.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/render/svg.h"
#include "analysis/tests/build.h"
#include "analysis/tests/program.h"
#include "analysis/tests/trace.h"
#include "record/store/recording.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;  // keeps the results' context first
using test::Outcome;
using test::us;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string conv_key(int batch) {
  return "conv/" + std::to_string(batch) + "x8x8x8_k4x1x1_p0.0.0.0_s1x1_d1x1_g1";
}

/// A weight made by a node, a convolution and an activation: two layers.
ordered_json paper_graph(const std::string& model, int batch) {
  const std::string relu = "relu/" + std::to_string(batch) + "x4x8x8";
  const auto layer = [&](const char* name, const char* op, ordered_json inputs, const char* cost,
                         ordered_json problems, double flops) {
    return ordered_json{
        {"name", name},
        {"op", op},
        {"inputs", inputs},
        {"cost", cost},
        {"reason", problems.empty() ? "computed from constants and shapes alone" : ""},
        {"problems", problems},
        {"flops", flops},
        {"bytes", 1000},
        {"outputs",
         {{{"name", std::string(name) + "_out"}, {"type", "float"}, {"shape", {batch, 4, 8, 8}}}}}};
  };
  return {{"schema", 1},
          {"model", model},
          {"batch", batch},
          {"layers",
           {layer("w", "ConstantOfShape", ordered_json::array(), "free", ordered_json::array(), 0),
            layer("c", "Conv", {0}, "measured", {conv_key(batch)}, 4096. * batch),
            layer("r", "Relu", {1}, "measured", {relu}, 256. * batch)}},
          {"fusions", ordered_json::array()}};
}

class PaperProgram : public testing::Test {
 protected:
  PaperProgram() {
    for (const int batch : {1, 4}) {
      write("zfnet512_b" + std::to_string(batch) + ".graph.json", paper_graph("zfnet512", batch));
      write("other_b" + std::to_string(batch) + ".graph.json", paper_graph("other", batch));
    }
    ordered_json rows = ordered_json::array();
    for (const int batch : {1, 4}) {
      const std::string keys[] = {conv_key(batch), "relu/" + std::to_string(batch) + "x4x8x8"};
      for (const std::string& key : keys) {
        // Batch 4 takes twice as long as batch 1; fp16 half as long as fp32.
        const double seconds = (key.starts_with("conv") ? 30 * us : 10 * us) * (batch == 4 ? 2 : 1);
        for (const std::string precision : {"fp32", "fp16"}) {
          const double one = precision == "fp32" ? seconds : seconds / 2;
          const std::string name = key + '/' + precision + "/nchw/cudnn/a";
          for (int repetition = 0; repetition < 5; ++repetition) {
            rows.push_back({{"name", name},
                            {"run_name", name},
                            {"run_type", "iteration"},
                            {"repetitions", 5},
                            {"repetition_index", repetition},
                            {"process", repetition + 1},
                            {"iterations", 30},
                            {"real_time", 7.0},
                            {"cpu_time", 7.0},
                            {"time_unit", "us"},
                            {"status", "ok"},
                            {"samples", ordered_json::array({one, one, one})}});
          }
        }
      }
    }
    write("results.json",
          {{"context",
            {{"date", "today"},
             {"num_cpus", 2},
             {"peak_fp32_flops_per_second", "1e9"},
             {"peak_bytes_per_second", "1e9"},
             {"possible_fp32_flops_per_second", "1e9"},
             {"possible_bytes_per_second", "1e9"},
             {"benanza",
              {{"schema", 1},
               {"backend", "cudnn"},
               {"system", {{"device", "a GPU"}, {"driver", "580.1"}, {"cudnn", "9.19.0"}}}}}}},
           {"benchmarks", rows}});
  }

  void write(const std::string& name, const ordered_json& text) {
    folder_.write(name, text.dump());
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// A profile of zfnet512 with this latency; its trace holds the convolution and the relu.
  std::string profile(int batch, const std::string& precision, double seconds) {
    const std::string name = "p" + std::to_string(batch) + precision;
    test::TraceWriter trace;
    if (precision == "fp16") trace.type("c10::Half");
    trace.conv(batch, 8, 4, 8).relu({batch, 4, 8, 8});
    folder_.write(name + ".trace.json", trace.text());
    write(name + ".json", {{"schema", 1},
                           {"framework", "pytorch"},
                           {"version", "2.11.0"},
                           {"options", {"channels_last"}},
                           {"model", "zfnet512"},
                           {"batch", batch},
                           {"precision", precision},
                           {"latency_seconds", {seconds}},
                           {"trace", name + ".trace.json"}});
    return " --profile " + path(name + ".json");
  }

  std::filesystem::path paper(const std::string& more,
                              const std::string& models = "zfnet512 other") {
    std::string graphs;
    std::istringstream words(models);
    for (std::string model; words >> model;) {
      graphs += " --graph " + path(model + "_b1.graph.json") + " --graph " +
                path(model + "_b4.graph.json");
    }
    const auto out = folder_.path() / "paper";
    const Outcome outcome = run_program("paper --allow-missing --results " + path("results.json") +
                                            graphs + " --out " + out.string() + more,
                                        folder_);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return out;
  }

  static std::string figure(const std::filesystem::path& paper, const std::string& part) {
    for (const auto& entry : std::filesystem::directory_iterator(paper / "figures")) {
      if (entry.path().filename().string().find(part) != std::string::npos) {
        return test::contents(entry.path());
      }
    }
    return "no such figure";
  }

  test::Folder folder_;
};

TEST_F(PaperProgram, CountsEachModelOnceAndNoConstants) {
  const auto made = paper("");
  const std::string models = test::contents(made / "tables/models.csv");
  // Two layers; the paper's model of that name has 22. 8 x 4 x 64 multiply-adds per sample.
  EXPECT_THAT(models, HasSubstr("zfnet512,classification,2,22,2048"));
  EXPECT_THAT(models, HasSubstr("other,,2,,2048"));
  EXPECT_THAT(models, Not(HasSubstr("batch")));
  EXPECT_THAT(test::contents(made / "tables/support.csv"), HasSubstr("zfnet512,2,0,0,0,0,0"));
}

TEST_F(PaperProgram, EveryFigureSaysWhereItIsFrom) {
  const auto made = paper(profile(1, "fp32", 100 * us));
  const std::string caption =
      "a GPU, driver 580.1; cudnn 9.19.0; pytorch 2.11.0. 95% intervals of the bounds: ±1.0%";
  std::size_t figures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(made / "figures")) {
    EXPECT_THAT(test::contents(entry.path()), HasSubstr(caption)) << entry.path();
    ++figures;
  }
  // Not "..._free_uns".
  EXPECT_TRUE(std::filesystem::exists(
      made / "figures/01_layers_by_what_they_cost_measured_calls_moving_data_free.svg"));
  EXPECT_GE(figures, 6U);
  EXPECT_THAT(test::contents(made / "index.html"), HasSubstr("<p class=\"caption\">" + caption));
}

TEST_F(PaperProgram, EveryFigureSaysThatOnlyFirstChoicesWereMeasured) {
  ordered_json results = ordered_json::parse(test::contents(path("results.json")));
  for (ordered_json& row : results["benchmarks"]) row["first_choice"] = true;
  write("results.json", results);
  EXPECT_THAT(test::contents(paper("") / "index.html"),
              ContainsRegex("Of 4 of the 4 bounds only the libraries.* first choices"));
}

TEST_F(PaperProgram, ModelsOfOneBatchSizeEachHaveOneBarEach) {
  const auto out = folder_.path() / "paper";
  const Outcome outcome =
      run_program("paper --allow-missing --precision fp32,fp16 --results " + path("results.json") +
                      " --graph " + path("zfnet512_b1.graph.json") + " --graph " +
                      path("other_b4.graph.json") + " --out " + out.string(),
                  folder_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string speed_ups = figure(out, "tensor_cores");
  EXPECT_THAT(speed_ups, HasSubstr(">zfnet512, batch 1<"));
  EXPECT_THAT(speed_ups, HasSubstr(">other, batch 4<"));
  EXPECT_THAT(speed_ups, Not(HasSubstr(">batch 4<")));
}

TEST_F(PaperProgram, WhatWasNotMeasuredTakesNoTimeOfZero) {
  for (const int batch : {1, 4}) {
    ordered_json unmeasured = paper_graph("new", batch);
    unmeasured["layers"][1]["problems"] = {"conv/" + std::to_string(batch) +
                                           "x9x9x9_k4x1x1_p0.0.0.0_s1x1_d1x1_g1"};
    unmeasured["layers"][2]["problems"] = {"relu/" + std::to_string(batch) + "x4x9x9"};
    write("new_b" + std::to_string(batch) + ".graph.json", unmeasured);
  }
  const auto made = paper("", "zfnet512 new");
  EXPECT_THAT(test::contents(made / "tables/latency_fp32.csv"),
              ContainsRegex("new, batch 1 .\",[0-9.e-]+,,,,,\n"));
  EXPECT_THAT(test::contents(made / "tables/batches_fp32.csv"), HasSubstr("new ?,1,,,,\n"));
  EXPECT_THAT(test::contents(made / "tables/operators_fp32.csv"), Not(HasSubstr("new")));
}

TEST_F(PaperProgram, LatenciesOfEachBatchSizeHaveTheirFigure) {
  const auto made = paper(profile(1, "fp32", 100 * us) + profile(4, "fp32", 160 * us));
  // Which framework, and how it ran.
  EXPECT_THAT(figure(made, "frameworks_fp32_batch_1"), HasSubstr(">pytorch 2.11.0 channels_last<"));
  EXPECT_THAT(figure(made, "latency_br_fp32_batch_1"),
              HasSubstr("%: pytorch 2.11.0 channels_last"));
  EXPECT_THAT(figure(made, "frameworks_fp32_batch_4"), HasSubstr("0.160 ms"));
  EXPECT_THAT(figure(made, "frameworks_fp32_batch_4"), Not(HasSubstr("batch 1")));
  // 40 of 100 us, and 80 of 160.
  EXPECT_THAT(figure(made, "latency_br_fp32_batch_1"), HasSubstr(">40 %<"));
  EXPECT_THAT(figure(made, "latency_br_fp32_batch_4"), HasSubstr(">50 %<"));
}

TEST_F(PaperProgram, CallsInSequenceStandBesideTheBounds) {
  write("s.json",
        {{"schema", 1},
         {"command", "sequence"},
         {"systems", {{"cudnn", {{"device", "a GPU"}, {"driver", "580.1"}, {"cudnn", "9.19.0"}}}}},
         {"model", "zfnet512"},
         {"batch", 1},
         {"precision", "fp32"},
         {"fused", false},
         {"seconds", {55 * us}},
         {"calls", {{{"seconds", 40 * us}}}}});
  const auto made = paper(" --sequence " + path("s.json"));
  EXPECT_THAT(figure(made, "frameworks_fp32_batch_1"), HasSubstr(">0.055 ms<"));
  const std::string table = test::contents(made / "tables/latency_fp32.csv");
  EXPECT_THAT(table, HasSubstr(",with_movement_seconds,in_sequence_seconds\n"));
  EXPECT_THAT(table, ContainsRegex("\"zfnet512, batch 1\",.*,5.[45][^,]*e-05\n"));
  EXPECT_THAT(table, ContainsRegex("\"zfnet512, batch 4\",[^\n]*,\n"));
}

TEST_F(PaperProgram, WithoutAFrameworkNoneIsDrawn) {
  const auto made = paper("");
  EXPECT_THAT(figure(made, "frameworks_fp32_batch_1"), Not(HasSubstr("pytorch")));
  EXPECT_EQ(figure(made, "latency_br"), "no such figure");
  EXPECT_EQ(figure(made, "_br_by_batch"), "no such figure");
}

TEST_F(PaperProgram, BatchSizesAreComparedWithRunsOfTheirOwnPrecision) {
  const auto made = paper(" --precision fp32,fp16" + profile(1, "fp16", 50 * us) +
                          profile(1, "fp32", 100 * us) + profile(4, "fp32", 160 * us));
  const std::string at_fp32 = test::contents(made / "tables/batches_fp32.csv");
  const std::string at_fp16 = test::contents(made / "tables/batches_fp16.csv");
  EXPECT_THAT(at_fp32, ContainsRegex("zfnet512,1,[^,]*,25000[^,]*,9.99[^,]*e-05,0.4\n"));
  EXPECT_THAT(at_fp32, ContainsRegex("zfnet512,4,[^,]*,50000[^,]*,0.000159[^,]*,0.5\n"));
  EXPECT_THAT(at_fp16, ContainsRegex("zfnet512,1,[^,]*,50000[^,]*,4.99[^,]*e-05,0.4\n"));
  // One figure for all models: four samples in twice the time are twice the throughput.
  const std::string gains = figure(made, "smallest_batch_fp32");
  EXPECT_THAT(gains, HasSubstr(">2.00<"));
  EXPECT_THAT(gains, HasSubstr("zfnet512, batch 4: 2.00"));
}

TEST_F(PaperProgram, AnUnknownChoiceOfAlgorithmsLosesNothingThatIsKnown) {
  const auto made = paper("");
  EXPECT_THAT(test::contents(made / "tables/algorithms_fp32.csv"),
              ContainsRegex("\"zfnet512, batch 1\",1,1,2.99[^,]*e-05,,,,,\n"));
  EXPECT_EQ(figure(made, "choice_of_algorithms"), "no such figure");
}

TEST_F(PaperProgram, FrameworksHaveTheirKernelsBesideTheBound) {
  const auto made = paper(profile(1, "fp32", 100 * us));
  // 40 us of calls, 100 us of the framework.
  EXPECT_THAT(test::contents(made / "tables/frameworks.csv"),
              ContainsRegex("\"zfnet512, batch 1\",pytorch 2.11.0[^\n]*,2.5\n"));
}

TEST_F(PaperProgram, EnergyIsAChapterWhereItWasMeasured) {
  EXPECT_FALSE(std::filesystem::exists(paper("") / "tables/energy_fp32.csv"));
  ordered_json results = ordered_json::parse(test::contents(path("results.json")));
  for (ordered_json& row : results["benchmarks"]) {
    const std::string name = row["name"];
    if (name.ends_with("/fp32/nchw/cudnn/a")) {
      row["energy_joules"] = name.starts_with("conv") ? 0.03 : 0.01;
    }
  }
  write("results.json", results);
  const auto made = paper("");
  // 40 mJ in 40 us at batch 1; the same energy for four samples in 80 us.
  const std::string table = test::contents(made / "tables/energy_fp32.csv");
  EXPECT_THAT(table,
              ContainsRegex("\"zfnet512, batch 1\",0.04,0.04,(1000|999.9|1000.0)[0-9]*,1.0\n"));
  EXPECT_THAT(table,
              ContainsRegex("\"zfnet512, batch 4\",0.04,0.01,(500|499.9|500.0)[0-9]*,1.0\n"));
  EXPECT_THAT(figure(made, "energy_of_the_bound"), HasSubstr("zfnet512"));
}

TEST_F(PaperProgram, RecordedProgramsHaveAChapter) {
  const auto file = folder_.path() / "run.db";
  {
    RecordingWriter writer(file, {.command = {"program"}, .start = 0.0, .machine = "a machine"});
    const CallText text{.source = "onednn", .engine = "cpu", .kind = "matmul"};
    writer.add({.text = text, .milliseconds = 6});
    writer.add(5, 0.0, ClockEvent{});
    writer.add(5, 0.0, DeviceEvent{.id = 0, .name = "H200"});
    writer.add(5, 0.0, KernelEvent{.at = {.start = 10'000, .end = 20'000}, .name = "gemm"});
    writer.finish(1.5, 0);
  }
  const auto made = paper(" --recordings " + file.string());
  EXPECT_THAT(test::contents(made / "tables/recordings_kinds.csv"),
              HasSubstr("1.0,0.006,1,0.006,matmul\n"));
  EXPECT_THAT(test::contents(made / "tables/recordings_gpu_kernels.csv"), HasSubstr(",gemm\n"));
  EXPECT_THAT(figure(made, "time_in_the_library"), HasSubstr(">run<"));
  EXPECT_THAT(figure(made, "gpus_from_their_first"), HasSubstr(">run, GPU 0<"));
  EXPECT_THAT(test::contents(made / "index.html"), HasSubstr("Recorded programs"));
}

TEST(PaperFigures, WhatIsShownAsZeroHasNoLongBar) {
  const Bars bars{.title = "lost", .categories = {"m"}, .series = {{"s", {1e-6}}}, .decimals = 1};
  EXPECT_THAT(svg_file(bars), HasSubstr("width=\"0.5\""));
}

TEST(PaperFigures, LongCaptionsAreWrapped) {
  const Bars bars{.title = "t", .categories = {"m"}, .series = {{"s", {1.0}}}};
  std::string caption;
  for (int i = 0; i < 40; ++i) caption += "seven77 ";
  // 140 characters hold 17 words.
  EXPECT_THAT(svg_file(bars, caption), ContainsRegex(">(seven77 ){16}seven77</text>"));
  EXPECT_THAT(svg_file(bars, "short & plain"), HasSubstr(">short &amp; plain</text>"));
}

TEST_F(PaperProgram, EachRunsInefficienciesAreToldOnce) {
  const auto times = [](const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  const auto table = [&](const std::string& profiles) {
    return test::contents(paper(" --precision fp32,fp16" + profiles) / "tables/inefficiencies.csv");
  };
  const std::string alone = table(profile(1, "fp32", 100 * us) + profile(4, "fp32", 160 * us));
  EXPECT_EQ(times(alone, "batch 1\",pytorch,fp32,wait,"), 1) << alone;
  EXPECT_EQ(times(alone, "fp16"), 0) << alone;
  const std::string both = table(profile(1, "fp32", 100 * us) + profile(1, "fp16", 50 * us));
  EXPECT_EQ(times(both, "batch 1\",pytorch,fp32,wait,"), 1) << both;
  EXPECT_EQ(times(both, "batch 1\",pytorch,fp16,wait,"), 1) << both;
}

TEST_F(PaperProgram, TimeIsDividedAmongLibrariesAndConvolutionsAmongKinds) {
  // A second convolution, by cuBLAS, and six more sizes: enough for a map.
  ordered_json results = ordered_json::parse(test::contents(path("results.json")));
  ordered_json many = paper_graph("many", 1);
  for (int filters = 5; filters < 12; ++filters) {
    const std::string key =
        "conv/1x8x8x8_k" + std::to_string(filters) + "x1x1_p0.0.0.0_s1x1_d1x1_g1";
    ordered_json layer = many["layers"][1];
    layer["name"] = key;
    layer["problems"] = {key};
    many["layers"].push_back(layer);
    ordered_json row = results["benchmarks"][0];
    row["name"] = row["run_name"] = key + "/fp32/nchw/cublas/a";
    row["samples"] = {20 * us, 20 * us};
    results["benchmarks"].push_back(row);
  }
  write("results.json", results);
  write("many_b1.graph.json", many);
  const auto out = folder_.path() / "paper";
  const Outcome outcome = run_program("paper --results " + path("results.json") + " --graph " +
                                          path("many_b1.graph.json") + " --out " + out.string(),
                                      folder_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // cuDNN 30 + 10 us, cuBLAS 7 x 20 us.
  const std::string libraries = test::contents(out / "tables/libraries_fp32.csv");
  EXPECT_THAT(libraries, HasSubstr("model,cublas,cudnn\n"));
  EXPECT_THAT(libraries, ContainsRegex(",0.77(7|8)[0-9]*,0.22(2|1)[0-9]*\n"));
  const std::string map = figure(out, "fastest_algorithm_of_1x1");
  EXPECT_THAT(map, HasSubstr("11 filters: matrix product"));
  EXPECT_THAT(map, HasSubstr("4 filters: implicit product or direct"));
}

TEST_F(PaperProgram, RoofsAndThroughputAreOfAllModels) {
  const auto made = paper("");
  const std::string roof = figure(made, "below_the_roof_fp32_all_models");
  EXPECT_THAT(roof, HasSubstr("peak: 0.001 TFLOP/s, 0.001 TB/s"));
  EXPECT_THAT(roof, HasSubstr(">Conv<"));
  // 4096 FLOP in 30 us are 14% of the peak, 256 in 10 us are 3%.
  EXPECT_THAT(test::contents(made / "tables/throughput_fp32.csv"),
              HasSubstr("\"zfnet512, batch 1\",1.0,1.0,0.75,0.75,0.0,0.0,0.0,0.0"));
  EXPECT_THAT(figure(made, "share_of_the_peak_fp32_all_models"), HasSubstr("batch"));
}

}  // namespace
}  // namespace benanza::analysis
