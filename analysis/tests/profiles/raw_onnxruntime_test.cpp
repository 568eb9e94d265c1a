#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/profiles/profile.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::error_of;
using test::Folder;
using test::us;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

json event(const std::string& category, const std::string& name, double start, double duration,
           int thread, json arguments = json::object()) {
  return {{"cat", category}, {"name", name},    {"pid", 1},  {"tid", thread},
          {"ts", start},     {"dur", duration}, {"ph", "X"}, {"args", std::move(arguments)}};
}

json json_node(const std::string& name, const std::string& op, int index, double start,
               double duration, int thread, const std::string& type = "float") {
  return event("Node", name + "_kernel_time", start, duration, thread,
               {{"op_name", op},
                {"node_index", std::to_string(index)},
                {"provider", "CPUExecutionProvider"},
                {"input_type_shape", {{{type, {4, 8}}}, {{type, {8, 2}}}}},
                {"output_type_shape", {{{type, {4, 2}}}}}});
}

const ProfiledNode& named(const Profile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.nodes, name, &ProfiledNode::name);
  if (found == profile.nodes.end()) throw std::runtime_error("no node " + name);
  return *found;
}

/// The events as ONNX Runtime writes them.
std::string raw(const std::vector<json>& events) {
  std::string text = "[\n";
  for (const json& one : events) text += (text.size() > 2 ? ",\n" : "") + one.dump();
  return text + "\n]\n";
}

TEST(RawOnnxRuntime, IsAProfileOfRunsWithTheProfilerOn) {
  const Folder folder;
  const auto file = folder.write(
      "onnxruntime_profile.json",
      raw({event("Session", "session_initialization", 0, 50, 1),
           event("Session", "model_run", 100, 60, 1), json_node("mm", "MatMul", 0, 110, 40, 1),
           event("Session", "model_run", 200, 80, 1), json_node("mm", "MatMul", 0, 210, 60, 1)}));
  const Profile profile = read_profile(file);
  EXPECT_EQ(profile.framework, "onnxruntime");
  EXPECT_EQ(profile.precision, "fp32");
  EXPECT_EQ(profile.steps, 2);
  EXPECT_THAT(profile.latency_seconds, ElementsAre(60 * us, 80 * us));
  ASSERT_EQ(profile.nodes.size(), 1);
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 50 * us);
  EXPECT_THAT(profile.nodes[0].outputs, ElementsAre(Dims{4, 2}));
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("with the profiler on")));
}

TEST(RawOnnxRuntime, ProductsOfDoublesAreNotAtFp32) {
  const Folder folder;
  const auto precision_of = [&](const std::string& first, const std::string& second) {
    return read_profile(
               folder.write("p.json", raw({event("Session", "model_run", 0, 90, 1),
                                           json_node("a", "MatMul", 0, 10, 20, 1, first),
                                           json_node("b", "MatMul", 1, 40, 20, 1, second)})))
        .precision;
  };
  EXPECT_EQ(precision_of("double", "double"), "fp64");
  EXPECT_EQ(precision_of("double", "float"), "mixed");
  EXPECT_EQ(precision_of("float", "float"), "fp32");
}

// The list of a program that was stopped has no end; Chrome's format allows that.
TEST(RawOnnxRuntime, AListMayLackItsEnd) {
  const Folder folder;
  std::string text =
      raw({event("Session", "model_run", 0, 60, 1), json_node("mm", "MatMul", 0, 10, 40, 1)});
  text.resize(text.rfind(']'));
  for (const char* end : {"", "\n", ",", ",\n"}) {
    const Profile profile = read_profile(folder.write("p.json", text + end));
    EXPECT_EQ(profile.nodes.size(), 1) << end;
    EXPECT_THAT(profile.remarks, Contains(HasSubstr("no bracket at the end in 1 place")));
  }
  const auto cut = folder.write("p.json", text + ",{");
  EXPECT_THAT(error_of([&] { read_profile(cut); }), HasSubstr("cut short"));
}

TEST(RawOnnxRuntime, ABodyRunsInItsOwnThread) {
  const Folder folder;
  const Profile profile = read_profile(folder.write(
      "p.json", raw({event("Session", "model_run", 0, 110, 1), json_node("if", "If", 1, 0, 100, 1),
                     json_node("in_branch", "MatMul", 0, 5, 30, 1),
                     json_node("beside", "MatMul", 0, 10, 50, 2)})));
  EXPECT_DOUBLE_EQ(named(profile, "if").seconds, 70 * us);
  EXPECT_DOUBLE_EQ(named(profile, "in_branch").seconds, 30 * us);
  EXPECT_DOUBLE_EQ(named(profile, "beside").seconds, 50 * us);
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("ran in 2 threads")));
}

TEST(RawOnnxRuntime, NestedBodiesKeepTheirOwnTime) {
  const Folder folder;
  const Profile profile = read_profile(folder.write(
      "p.json",
      raw({event("Session", "model_run", 0, 110, 1), json_node("loop", "Loop", 2, 0, 100, 1),
           json_node("if", "If", 1, 10, 60, 1), json_node("mm", "MatMul", 0, 20, 30, 1),
           json_node("next", "Relu", 1, 75, 5, 1)})));
  EXPECT_DOUBLE_EQ(named(profile, "loop").seconds, 35 * us);
  EXPECT_DOUBLE_EQ(named(profile, "if").seconds, 30 * us);
}

TEST(RawOnnxRuntime, RunsOfTwoThreadsAtATimeAreKeptApart) {
  const Folder folder;
  const Profile profile = read_profile(folder.write(
      "p.json",
      raw({event("Session", "model_run", 0, 100, 1), json_node("mm", "MatMul", 0, 10, 80, 1),
           event("Session", "model_run", 20, 100, 2), json_node("mm", "MatMul", 0, 30, 60, 2)})));
  EXPECT_EQ(profile.steps, 2);
  ASSERT_EQ(profile.nodes.size(), 1);
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 70 * us);
}

TEST(RawOnnxRuntime, WithoutARunIsRefused) {
  const Folder folder;
  const auto file = folder.write("p.json", raw({json_node("mm", "MatMul", 0, 10, 80, 1)}));
  EXPECT_THAT(error_of([&] { read_profile(file); }), HasSubstr("has no run of the model"));
  const auto cut =
      folder.write("p.json", "[\n" + json_node("mm", "MatMul", 0, 10, 80, 1).dump() + ",\n");
  EXPECT_THAT(error_of([&] { read_profile(cut); }), HasSubstr("cut short: no run"));
}

}  // namespace
}  // namespace benanza::analysis
