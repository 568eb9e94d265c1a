// Inputs that decide lengths, and what these are taken to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/lowered/number_tensors.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A GRU of 7 steps and 2 sequences, whose lengths are `lengths`.
Model recurrent(Model model, const std::string& lengths) {
  model.input("x", {7, 2, 3}).weights("w", {1, 12, 3}).weights("r", {1, 12, 4});
  model.node("GRU", {"x", "w", "r", "", lengths}, {"y"}, {{"hidden_size", 4}});
  return model.output("y");
}

TEST(TakenInputs, LengthsOfSequencesThroughWhatKeepsThem) {
  Model model(17);
  model.input("lengths", {2}, ::onnx::TensorProto::INT64).integers("two", {2});
  model.node("TopK", {"lengths", "two"}, {"sorted", "places"}, {{"axis", 0}});
  model.node("Cast", {"sorted"}, {"cast"}, {{"to", 6}});
  const LoweredGraph graph = recurrent(model, "cast").import();
  EXPECT_THAT(graph.taken, ElementsAre(Pair("lengths", 7)));
  EXPECT_THAT(graph.warnings,
              ElementsAre("test.onnx: takes lengths to be the longest: as with --input lengths=7"));
  EXPECT_EQ(number_tensors(graph, {}).tensors[0].name, "lengths");
  EXPECT_EQ(number_tensors(graph, {}).tensors[0].taken, 7);
}

TEST(TakenInputs, NotThoseThatAreComputedOrKnown) {
  Model model(17);
  model.input("mask", {2, 7}, ::onnx::TensorProto::INT32).integers("one", {1});
  model.node("ReduceSum", {"mask", "one"}, {"lengths"}, {{"keepdims", 0}});
  EXPECT_THAT(recurrent(model, "lengths").import().taken, IsEmpty());
  Model stated(17);
  stated.input("lengths", {2}, ::onnx::TensorProto::INT32);
  const Binding seven{.batch = {}, .dims = {}, .values = {{"lengths", "7"}}};
  EXPECT_THAT(recurrent(stated, "lengths").import(seven).taken, IsEmpty());
}

// 5 rows of 16 are the new ones.
TEST(TakenInputs, RowsOfACacheThatIsNotFull) {
  Model model(24);
  model.input("q", {1, 2, 5, 8}).input("k", {1, 2, 16, 8}).input("v", {1, 2, 16, 8});
  model.input("filled", {1}, ::onnx::TensorProto::INT64);
  model.node("Attention", {"q", "k", "v", "", "", "", "filled"}, {"y"});
  EXPECT_THAT(model.output("y").import().taken, ElementsAre(Pair("filled", 16)));
}

}  // namespace
}  // namespace benanza::onnx
