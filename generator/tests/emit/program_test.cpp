// benanza-generate as run by a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "core/base/file.h"
#include "core/tests/folder.h"
#include "generator/tests/onnx/model.h"

namespace benanza::emit {
namespace {

namespace fs = std::filesystem;
using onnx::Model;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Result {
  int status = -1;
  std::string text;
};

Result generate(const std::string& arguments) {
  FILE* pipe = ::popen((std::string(GENERATE) + ' ' + arguments + " 2>&1").c_str(), "r");
  Result run;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    run.text.append(buffer.data(), size);
  }
  run.status = WEXITSTATUS(::pclose(pipe));
  return run;
}

const std::string alexnet = std::string(TEST_DATA) + "/torchvision_alexnet.onnx";

class Program : public test::FolderTest {
 protected:
  /// Expects a one-line message, a non-zero status and no output files.
  void expect_refused(const std::string& arguments, const std::string& part) {
    const Result run = generate(arguments + " --out " + folder_.string());
    EXPECT_EQ(run.status, 1) << arguments;
    EXPECT_THAT(run.text, AllOf(StartsWith("benanza-generate: "), HasSubstr(part)));
    EXPECT_EQ(std::count(run.text.begin(), run.text.end(), '\n'), 1) << run.text;
    EXPECT_FALSE(fs::exists(folder_)) << arguments;
  }
};

TEST_F(Program, WritesAGraphPerBatch) {
  const Result run =
      generate("--batch 1,8 --precision fp32,bf16 --out " + folder_.string() + ' ' + alexnet);
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_EQ(run.text, "");
  for (const char* name : {"torchvision_alexnet_b1.graph.json", "torchvision_alexnet_b8.graph.json",
                           "problems.cpp", "tests.cmake"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
  EXPECT_THAT(read_file(folder_ / "problems.cpp"), HasSubstr("Precision::fp32, Precision::bf16"));
}

TEST_F(Program, AListIsWrittenAsAModelIs) {
  const Result run =
      generate("--list " LISTS "/inference_device --precision int8 --out " + folder_.string());
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_EQ(run.text, "");
  EXPECT_THAT(
      read_file(folder_ / "problems.cpp"),
      HasSubstr("    // deepbench_inference_device: m=3072 n=1 k=1024 NN (speech recognition) "
                "(1)\n    \"gemm/m1_n3072_k1024_nn\",\n"));
  EXPECT_THAT(read_file(folder_ / "tests.cmake"),
              AllOf(HasSubstr("set(BENANZA_GRAPHS \"deepbench_inference_device.graph.json\")\n"),
                    HasSubstr("set(\"BENANZA_LABELS_gemm\" \"deepbench\")\n"),
                    HasSubstr("set(\"BENANZA_LABELS_deepbench_inference_device.graph.json\" "
                              "\"deepbench\")\n")));
  EXPECT_TRUE(fs::exists(folder_ / "deepbench_inference_device.graph.json"));
}

TEST_F(Program, AListAndAModel) {
  const Result run = generate("--unique --list " LISTS "/training --batch 8 " + alexnet);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.text, AllOf(StartsWith("2 graphs: "), HasSubstr("torchvision_alexnet (batch 8)"),
                              HasSubstr("\n  deepbench_training  ")));
  EXPECT_THAT(generate("--summary --list " LISTS "/inference_device").text,
              StartsWith("deepbench_inference_device (a list of problems)\n"));
}

TEST_F(Program, SummaryWritesNothing) {
  const Result run = generate("--summary " + alexnet);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.text, HasSubstr("torchvision_alexnet (batch 1, opset 17)"));
}

TEST_F(Program, UniqueCountsOverAllModelsAndWritesNothing) {
  const Result run = generate("--unique --batch 1,8 " + alexnet);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.text, AllOf(StartsWith("2 graphs: "), HasSubstr("unique problems\n"),
                              HasSubstr("torchvision_alexnet (batch 8)")));
}

TEST_F(Program, RefusesInOneLine) {
  expect_refused("--frobnicate " + alexnet, "--frobnicate");
  expect_refused("", "MODEL");
  expect_refused("--list " LISTS "/holidays",
                 "no row is of the set holidays: there are inference_device");
  expect_refused("--list /nowhere/training", "no folder of tables");
  expect_refused("--batch x " + alexnet, "--batch");
  expect_refused("--batch 0 " + alexnet, "at least 1");
  expect_refused("--batch 1099511627776 " + alexnet, "2^40");
  expect_refused("--precision fp31 " + alexnet, "fp31");
  expect_refused("--dim N=4 " + alexnet, "no model has a dimension");
  expect_refused("--input nobody=4 " + alexnet, "no model has an input of that name");
  expect_refused("--input nobody " + alexnet, "wants NAME=VALUE");
  expect_refused("/nowhere/x.onnx", "/nowhere/x.onnx: cannot open");
  expect_refused(alexnet + ' ' + alexnet, "a second model is called");
}

TEST_F(Program, WhatTheDataDecideIsOneLineForAllBatches) {
  ::onnx::ModelProto model = Model(17)
                                 .input("x", {-1, 6})
                                 .node("NonZero", {"x"}, {"nz"})
                                 .node("NonZero", {"nz"}, {"y"})
                                 .output("y")
                                 .proto();
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      ::onnx::TensorProto::INT64);
  const fs::path path = fs::path(testing::TempDir()) / "decided.onnx";
  write_file(path, model.SerializeAsString());
  const Result run = generate("--summary --batch 1,2 " + path.string());
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_THAT(run.text, StartsWith("benanza-generate: warning: " + path.string() +
                                   ": 2 data-dependent dimensions"));
  EXPECT_EQ(run.text.find("warning", 30), std::string::npos) << run.text;
  EXPECT_THAT(run.text, HasSubstr("assumed: NonZero: 2 dimensions as large as can be, first "
                                  "nz:1=12\n"));
  const Result bound = generate("--summary --batch 2 --dim nz:1=5 --dim y:1=4 " + path.string());
  EXPECT_THAT(bound.text, StartsWith("decided (batch 2, opset 17)"));
  EXPECT_THAT(bound.text, Not(HasSubstr("assumed")));
  fs::remove(path);
}

TEST_F(Program, ABadModelIsNamedAndTheGoodOnesAreWritten) {
  const fs::path bad = fs::path(testing::TempDir()) / "bad.onnx";
  write_file(bad, "no model");
  const Result run =
      generate("--unique --out " + folder_.string() + ' ' + bad.string() + ' ' + alexnet);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.text, StartsWith("benanza-generate: " + bad.string() + ": "));
  EXPECT_THAT(run.text,
              HasSubstr("benanza-generate: left out 1 of 2 models; everything else is done\n"));
  EXPECT_THAT(run.text, HasSubstr("1 graph: "));
  EXPECT_TRUE(fs::exists(folder_ / "torchvision_alexnet.graph.json"));
  EXPECT_FALSE(fs::exists(folder_ / "bad.graph.json"));
  EXPECT_THAT(read_file(folder_ / "tests.cmake"),
              HasSubstr("set(BENANZA_GRAPHS \"torchvision_alexnet.graph.json\")"));
  EXPECT_TRUE(fs::exists(folder_ / "problems.cpp"));
  fs::remove(bad);
}

TEST_F(Program, AModelThatFailsAtOneBatchIsLeftOutAtAll) {
  const fs::path fixed = fs::path(testing::TempDir()) / "fixed.onnx";
  // The added tensor has two rows, so the input must, too.
  write_file(fixed, Model(13)
                        .input("x", {-1, 3})
                        .weights("w", {2, 3})
                        .node("Add", {"x", "w"}, {"y"})
                        .output("y")
                        .proto()
                        .SerializeAsString());
  const Result run =
      generate("--batch 2,5 --out " + folder_.string() + ' ' + fixed.string() + ' ' + alexnet);
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_THAT(run.text, HasSubstr(fixed.string()));
  EXPECT_FALSE(fs::exists(folder_ / "fixed_b2.graph.json"));
  EXPECT_TRUE(fs::exists(folder_ / "torchvision_alexnet_b5.graph.json"));
  fs::remove(fixed);
}

TEST_F(Program, ListsTheModelsItSkips) {
  const fs::path bad = fs::path(testing::TempDir()) / "bad.onnx";
  const fs::path list = fs::path(testing::TempDir()) / "refused.txt";
  write_file(bad, "no model");
  const std::string options =
      "--skip-refused " + list.string() + " --out " + folder_.string() + ' ';
  EXPECT_EQ(generate(options + bad.string() + ' ' + alexnet).status, 0);
  EXPECT_THAT(read_file(list), StartsWith(bad.string() + '\t' + bad.string() + ": "));
  EXPECT_EQ(generate(options + alexnet).status, 0);
  EXPECT_EQ(read_file(list), "");
  EXPECT_EQ(generate(options + bad.string()).status, 1) << "no model is left";
  fs::remove(bad);
  fs::remove(list);
}

TEST_F(Program, CleansOnlyWhenAsked) {
  const std::string to = " --out " + folder_.string() + ' ' + alexnet;
  generate("--batch 1" + to);
  generate("--batch 2" + to);
  EXPECT_TRUE(fs::exists(folder_ / "torchvision_alexnet_b1.graph.json"));
  generate("--clean --batch 4" + to);
  EXPECT_FALSE(fs::exists(folder_ / "torchvision_alexnet_b2.graph.json")) << "the last call's";
  EXPECT_TRUE(fs::exists(folder_ / "torchvision_alexnet_b1.graph.json")) << "an older one's";
}

TEST_F(Program, SummaryTakesAllOrNothing) {
  EXPECT_THAT(generate("--summary " + alexnet).text, Not(HasSubstr("Flatten")));
  EXPECT_THAT(generate("--summary=all " + alexnet).text, HasSubstr("Flatten"));
  const Result run = generate("--summary=most " + alexnet);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.text, HasSubstr("--summary=most: wants --summary or --summary=all"));
}

TEST_F(Program, NeedsAFolder) {
  const Result run = generate(alexnet);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.text, HasSubstr("--out"));
}

TEST_F(Program, AnUnwritableFolderIsNamed) {
  const Result run = generate("--out /proc/benanza " + alexnet);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.text, HasSubstr("/proc/benanza: "));
}

}  // namespace
}  // namespace benanza::emit
