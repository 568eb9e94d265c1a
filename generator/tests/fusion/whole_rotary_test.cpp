// Rotary embeddings that exporters decompose, and lookalikes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/fusion/whole_operators.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::IsEmpty;

/// Rows of 8 for 3 positions and 2 heads, rotated as torch.onnx writes it.
class Rotated : public testing::Test {
 protected:
  Rotated() : model_(17) {
    model_.input("image", {2, 2, 3, 8}).weights("cos", {1, 1, 3, 8}).weights("sin", {1, 1, 3, 8});
    model_.node("Tanh", {"image"}, {"x"});
    slice("x1", 0, 4);
    slice("x2", 4, 8);
    model_.node("Mul", {"x", "cos"}, {"straight"});
  }

  void slice(const std::string& name, std::int64_t from, std::int64_t to) {
    model_.integers(name + "from", {from})
        .integers(name + "to", {to})
        .integers(name + "axis", {-1});
    model_.node("Slice", {"x", name + "from", name + "to", name + "axis"}, {name});
  }

  std::vector<std::string> found(const std::string& result) {
    return whole_operators(model_.output(result));
  }

  Model model_;
};

TEST_F(Rotated, HalvesOfRows) {
  model_.node("Neg", {"x2"}, {"n"}).node("Concat", {"n", "x1"}, {"r"}, {{"axis", -1}});
  model_.node("Mul", {"sin", "r"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
  EXPECT_THAT(found("y"), ElementsAre("rotary 1 2 3 4 5 6 7: rotary/2x2x3x8_t1x1x3x8"));
}

TEST_F(Rotated, ThroughCasts) {
  model_.node("Cast", {"x"}, {"same"}, {{"to", 1}}).node("Mul", {"same", "cos"}, {"cast"});
  model_.node("Neg", {"x2"}, {"n"}).node("Concat", {"n", "x1"}, {"r"}, {{"axis", -1}});
  model_.node("Mul", {"r", "sin"}, {"across"}).node("Add", {"across", "cast"}, {"y"});
  EXPECT_THAT(found("y"), ElementsAre("rotary 1 2 5 6 7 8 9: rotary/2x2x3x8_t1x1x3x8"));
}

/// Elements 2 i and 2 i + 1 are a point, as GPT-J and Cohere have it; y is the result.
void rotate_neighbours(Model& model, const char* first, const char* second) {
  model.integers("zero", {0}).integers("one", {1}).integers("eight", {8});
  model.integers("axis", {-1}).integers("two", {2}).integers("extents", {2, 2, 3, 8});
  model.node("Slice", {"x", "zero", "eight", "axis", "two"}, {"even"});
  model.node("Slice", {"x", "one", "eight", "axis", "two"}, {"odd"});
  model.node("Neg", {first}, {"n"}).node("Unsqueeze", {"n", "axis"}, {"n1"});
  model.node("Unsqueeze", {second, "axis"}, {"e1"});
  model.node("Concat", {"n1", "e1"}, {"stack"}, {{"axis", -1}});
  model.node("Reshape", {"stack", "extents"}, {"r"});
  model.node("Mul", {"r", "sin"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
}

TEST_F(Rotated, Neighbours) {
  rotate_neighbours(model_, "odd", "even");
  EXPECT_THAT(found("y"), ElementsAre("rotary 3 4 5 6 7 8 9 10 11 12: "
                                      "rotary/2x2x3x8_t1x1x3x8_interleaved"));
}

TEST_F(Rotated, NeighboursInTheirOrderAreNone) {
  rotate_neighbours(model_, "even", "odd");
  EXPECT_THAT(found("y"), IsEmpty());
}

TEST_F(Rotated, HalvesInTheirOrderAreNone) {
  model_.node("Neg", {"x2"}, {"n"}).node("Concat", {"x1", "n"}, {"r"}, {{"axis", -1}});
  model_.node("Mul", {"r", "sin"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
  EXPECT_THAT(found("y"), IsEmpty());
}

TEST_F(Rotated, TheFirstHalfNegatedIsNone) {
  model_.node("Neg", {"x1"}, {"n"}).node("Concat", {"n", "x2"}, {"r"}, {{"axis", -1}});
  model_.node("Mul", {"r", "sin"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
  EXPECT_THAT(found("y"), IsEmpty());
}

TEST_F(Rotated, HalvesOfAnotherAxisAreNone) {
  model_.node("Neg", {"x2"}, {"n"}).node("Concat", {"n", "x1"}, {"r"}, {{"axis", 1}});
  model_.integers("extents", {2, 2, 3, 8}).node("Reshape", {"r", "extents"}, {"back"});
  model_.node("Mul", {"back", "sin"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
  EXPECT_THAT(found("y"), IsEmpty());
}

TEST_F(Rotated, WhatAnotherLayerReadsIsNone) {
  model_.node("Neg", {"x2"}, {"n"}).node("Concat", {"n", "x1"}, {"r"}, {{"axis", -1}}).output("r");
  model_.node("Mul", {"r", "sin"}, {"across"}).node("Add", {"straight", "across"}, {"y"});
  EXPECT_THAT(found("y"), IsEmpty());
}

}  // namespace
}  // namespace benanza::fusion
