// benanza-zoo as the user sees it.

#include <gmock/gmock.h>
#include <onnx/onnx_pb.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int status;
  /// Standard output and standard error.
  std::string text;
};

Outcome run(const std::string& arguments) {
  const std::string command = BENANZA_ZOO_PROGRAM " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text.append(buffer.data(), n);
  }
  return {pclose(pipe), text};
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("zoo_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  /// Expects failure with one line that contains `part`, and no file left behind.
  void expect_refusal(const std::string& arguments, const std::string& part) const {
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_THAT(outcome.text, AllOf(StartsWith("benanza-zoo: "), HasSubstr(part)));
    EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 1) << outcome.text;
    EXPECT_THAT(files(), IsEmpty()) << arguments;
  }

  std::filesystem::path folder_;
};

TEST_F(Program, WritesAModel) {
  const Outcome outcome = run("googlenet -o " + path("g.onnx") + " --batch 4");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.text, "");
  ::onnx::ModelProto model;
  std::ifstream file(path("g.onnx"), std::ios::binary);
  ASSERT_TRUE(model.ParseFromIstream(&file));
  EXPECT_EQ(model.graph().name(), "googlenet");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_value(), 4);
  EXPECT_THAT(files(), ::testing::ElementsAre("g.onnx"));
}

TEST_F(Program, StoresRandomWeights) {
  EXPECT_EQ(run("squeezenet_v1.1 --weights random --seed 5 -o " + path("s.onnx")).status, 0);
  // 1235496 parameters of 4 bytes.
  EXPECT_GT(std::filesystem::file_size(path("s.onnx")), 4U * 1235496U);
}

TEST_F(Program, ListsTheModels) {
  const Outcome outcome = run("--list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("resnet50_v1"), HasSubstr("ResNet050-v1"),
                                  HasSubstr("175"), HasSubstr("25629032")));
}

TEST_F(Program, RefusesWhatItCannotDo) {
  expect_refusal("resnet50 -o " + path("x.onnx"), "resnet50_v1");
  expect_refusal("googlenet -o " + path("no/such/folder/x.onnx"), "no/such/folder/x.onnx");
  expect_refusal("googlenet -o " + folder_.string(), folder_.string());
  expect_refusal("googlenet --batch 0 -o " + path("x.onnx"), "batch 0");
  expect_refusal("googlenet --batch many -o " + path("x.onnx"), "--batch");
  expect_refusal("googlenet --batch 1099511627776 -o " + path("x.onnx"), "batch 1099511627776");
  expect_refusal("googlenet --weights gold -o " + path("x.onnx"), "--weights");
  expect_refusal("googlenet --seed 1 -o " + path("x.onnx"), "--weights random");
  expect_refusal("googlenet --frobnicate -o " + path("x.onnx"), "--frobnicate");
  expect_refusal("googlenet vgg16 -o " + path("x.onnx"), "vgg16");
  expect_refusal("", "--list");
}

TEST_F(Program, LeavesWhatIsNoRegularFileAlone) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const Outcome outcome = run("mnist -o " + path("pipe"));
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("not a regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_THAT(files(), ::testing::ElementsAre("pipe"));
}

TEST_F(Program, ReplacesAnOlderFile) {
  std::ofstream(path("m.onnx")) << "old";
  EXPECT_EQ(run("mnist -o " + path("m.onnx")).status, 0);
  EXPECT_GT(std::filesystem::file_size(path("m.onnx")), 1000U);
}

}  // namespace
