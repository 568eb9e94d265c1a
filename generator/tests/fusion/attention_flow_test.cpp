// What attention's one call reads and writes: the tensors around the copies that it replaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string name_of(const LoweredGraph& graph, std::size_t tensor) {
  for (const LoweredLayer& layer : graph.layers) {
    for (const Read& read : layer.reads) {
      if (read.tensor == tensor) return read.name;
    }
  }
  return "?";
}

/// "q+8:8.4.24.1 ... -> strides", a line for each attention call.
std::vector<std::string> flows(const LoweredGraph& graph) {
  std::vector<std::string> lines;
  for (const FoundFusion& fusion : find_fusions(graph.layers)) {
    if (fusion.pattern != "attention") continue;
    if (!fusion.call) {
      lines.emplace_back("unknown");
      continue;
    }
    std::string line;
    for (const FlowOperand& operand : fusion.call->operands) {
      line += operand.kind == FlowOperand::Kind::tensor ? name_of(graph, operand.index) : "causal";
      if (operand.offset != 0) line += '+' + std::to_string(operand.offset);
      if (!operand.strides.empty()) line += ':' + join(operand.strides, '.');
      if (operand.scale != 1) line += '*' + std::to_string(static_cast<int>(operand.scale));
      line += ' ';
    }
    line += "->";
    if (!fusion.call->result_strides.empty()) line += join(fusion.call->result_strides, '.');
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Softmax of q kt and its product with v, whose heads are brought together.
Model& attend_once(Model& model) {
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  model.node("MatMul", {"p", "v"}, {"o"});
  return model.node("Transpose", {"o"}, {"y"}, {{"perm", Dims{0, 2, 1, 3}}}).output("y");
}

TEST(AttentionFlow, OfAProjectionOfAllIsItsResultInStrides) {
  // 5 tokens, 2 heads of 4.
  Model model(17);
  model.input("x", {1, 5, 8}).weights("w", {8, 24}).node("MatMul", {"x", "w"}, {"qkv"});
  model.integers("parts", {1, 5, 3, 2, 4}).integers("first", {0});
  model.node("Reshape", {"qkv", "parts"}, {"r"});
  model.node("Transpose", {"r"}, {"t"}, {{"perm", Dims{2, 0, 3, 1, 4}}});
  model.node("Split", {"t"}, {"q0", "k0", "v0"}, {{"axis", 0}});
  model.node("Squeeze", {"q0", "first"}, {"q"}).node("Squeeze", {"k0", "first"}, {"k"});
  model.node("Squeeze", {"v0", "first"}, {"v"});
  model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  EXPECT_THAT(flows(attend_once(model).import()),
              ElementsAre("q k v ->", "r:8.4.24.1 r+8:8.4.24.1 r+16:8.4.24.1 ->8.4.8.1"));
}

/// Three projections, 2 images of 5 tokens, 2 heads of 4; the keys are transposed at once.
Model three_projections() {
  Model model(17);
  model.integers("heads", {2, 5, 2, 4});
  for (const std::string name : {"q", "k", "v"}) {
    model.input(name + "x", {2, 5, 8}).node("Reshape", {name + "x", "heads"}, {name + "r"});
    const Dims perm = name == "k" ? Dims{0, 2, 3, 1} : Dims{0, 2, 1, 3};
    model.node("Transpose", {name + "r"}, {name == "k" ? "kt" : name}, {{"perm", perm}});
  }
  return model;
}

TEST(AttentionFlow, TransposedKeysAreReadWhereTheyWere) {
  Model model = three_projections();
  EXPECT_THAT(flows(attend_once(model).import()),
              ElementsAre("q kr:40.4.8.1 v ->", "qr:40.4.8.1 kr:40.4.8.1 vr:40.4.8.1 ->40.4.8.1"));
}

/// With a mask, between products of three projections.
std::vector<std::string> masked(Model model, double sign) {
  model.node("MatMul", {"q", "kt"}, {"s"});
  model.node(sign > 0 ? "Add" : "Sub", {"s", "mask"}, {"m"});
  model.node("Softmax", {"m"}, {"p"}, {{"axis", -1}}).node("MatMul", {"p", "v"}, {"y"});
  return flows(model.output("y").import());
}

TEST(AttentionFlow, AMaskIsAnOperandAsItIs) {
  Model given = three_projections();
  given.input("mask", {2, 1, 1, 5});
  EXPECT_THAT(masked(given, 1), ElementsAre("q kr:40.4.8.1 v mask ->",
                                            "qr:40.4.8.1 kr:40.4.8.1 vr:40.4.8.1 mask ->"));
  Model constant = three_projections();
  constant.weights("mask", {5, 5});
  EXPECT_THAT(masked(constant, -1), ElementsAre("q kr:40.4.8.1 v mask*-1 ->",
                                                "qr:40.4.8.1 kr:40.4.8.1 vr:40.4.8.1 mask*-1 ->"));
}

TEST(AttentionFlow, KeysThatSeveralHeadsShareAreReadOnce) {
  // 4 heads of queries, 2 of keys, 5 tokens, heads of 4.
  Model model(17);
  model.input("q", {1, 4, 5, 4}).input("kx", {1, 2, 5, 4}).input("vx", {1, 2, 5, 4});
  model.integers("one", {1, 2, 1, 5, 4}).integers("two", {1, 2, 2, 5, 4});
  model.integers("all", {1, 4, 5, 4});
  for (const std::string name : {"k", "v"}) {
    model.node("Reshape", {name + "x", "one"}, {name + "1"});
    model.node("Expand", {name + "1", "two"}, {name + "2"});
    model.node("Reshape", {name + "2", "all"}, {name});
  }
  model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  const std::vector<std::string> found = flows(attend_once(model).import());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), "q k1 v1 ->");
}

TEST(AttentionFlow, IsNotKnownForAFactorThatTheFileLeavesOut) {
  Model model = three_projections();
  model.node("MatMul", {"q", "kt"}, {"s0"}).weights("f", {1});
  model.node("Mul", {"s0", "f"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  model.node("MatMul", {"p", "v"}, {"y"});
  const auto found = flows(model.output("y").import());
  EXPECT_THAT(found, ElementsAre("unknown", "unknown"));
}

// Calls that take each query as a head need queries and result dense: copies stay.
TEST(AttentionFlow, OfFewQueriesKeepsCopiesOfQueriesAndResult) {
  Model model(23);
  model.input("q", {2, 5, 8}).input("k", {2, 7, 8}).input("v", {2, 7, 8});
  model.node("Attention", {"q", "k", "v"}, {"y"}, {{"q_num_heads", 2}, {"kv_num_heads", 2}});
  const auto found = find_fusions(model.output("y").import().layers);
  ASSERT_EQ(found.size(), 1U);
  std::vector<std::string> problems;
  for (const Call& call : found[0].calls) problems.push_back(key(call.problem));
  ASSERT_THAT(problems, SizeIs(3));
  EXPECT_THAT(problems[0], HasSubstr("copy/"));
  EXPECT_THAT(problems[1], HasSubstr("attention/2x2x5x4_k2x7x4"));
  EXPECT_THAT(problems[2], HasSubstr("copy/"));
  EXPECT_THAT(found[0].calls[1].operands[0].strides, testing::IsEmpty());
  EXPECT_THAT(found[0].calls[1].operands[1].strides, ElementsAre(56, 4, 8, 1));
  EXPECT_THAT(found[0].calls[1].result_strides, testing::IsEmpty());
}

TEST(AttentionFlow, OfOneOperatorReadsItsInputsWhereTheyAre) {
  // Rows of 2 heads of 4.
  Model model(23);
  model.input("q", {2, 80, 8}).input("k", {2, 90, 8}).input("v", {2, 90, 8});
  model.node("Attention", {"q", "k", "v"}, {"y"}, {{"q_num_heads", 2}, {"kv_num_heads", 2}});
  EXPECT_THAT(flows(model.output("y").import()),
              ElementsAre("q:640.4.8.1 k:720.4.8.1 v:720.4.8.1 ->640.4.8.1"));
}

}  // namespace
}  // namespace benanza::fusion
