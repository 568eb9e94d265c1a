// Group normalizations that exporters decompose, and lookalikes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::Contains;
using testing::Not;

/// A group normalization as torch.onnx writes it, and the layers after it.
class GroupNorm : public testing::Test {
 protected:
  GroupNorm() : model_(17) {
    model_.input("image", {2, 12, 5, 4}).weights("ones", {3}).weights("zeros", {3});
    model_.weights("gamma", {12, 1, 1}).weights("beta", {12, 1, 1}).weights("plane", {1, 5, 4});
    model_.integers("groups", {0, 3, -1}).integers("channels", {2, 12, 5, 4});
    model_.node("Reshape", {"image", "groups"}, {"g"});
    model_.node("InstanceNormalization", {"g", "ones", "zeros"}, {"n"}, {{"epsilon", 1e-6F}});
    model_.node("Reshape", {"n", "channels"}, {"y"});
  }

  std::vector<std::string> found(const std::string& result) {
    std::vector<std::string> lines;
    for (const Fusion& fusion : find_fusions(model_.output(result).import().layers)) {
      std::string line = fusion.pattern;
      for (const std::size_t layer : fusion.layers) line += ' ' + std::to_string(layer);
      lines.push_back(line + ": " + fusion.problem + (fusion.whole ? " whole" : ""));
    }
    return lines;
  }

  Model model_;
};

TEST_F(GroupNorm, IsOneOperatorBesideItsParts) {
  model_.node("Mul", {"gamma", "y"}, {"m"}).node("Add", {"m", "beta"}, {"a"});
  model_.node("Relu", {"a"}, {"r"});
  const std::string norm = "instancenorm/2x3x4x5x4_e1e-06_sb_mul_y1x3x4x1x1_w_add_y1x3x4x1x1_w";
  const std::string both = "mul/2x12x5x4_1x12x1x1_w_add_y1x12x1x1_w";
  EXPECT_THAT(found("r"),
              testing::UnorderedElementsAre(
                  "mul_add 3 4: " + both, "mul_add_relu 3 4 5: " + both + "_relu",
                  "scale_shift 3 4: " + both + " whole", "groupnorm 1 2 3 4: " + norm + " whole",
                  "instancenorm_relu 1 2 3 4 5: " + norm + "_relu"));
}

TEST_F(GroupNorm, AFactorForEveryPixelIsNone) {
  model_.node("Mul", {"y", "plane"}, {"m"}).node("Add", {"m", "beta"}, {"a"});
  EXPECT_THAT(found("a"), Not(Contains(testing::HasSubstr("whole"))));
}

TEST_F(GroupNorm, AFactorThatIsComputedIsNone) {
  model_.input("computed", {12, 1, 1});
  model_.node("Mul", {"y", "computed"}, {"m"}).node("Add", {"m", "beta"}, {"a"});
  EXPECT_THAT(found("a"), Not(Contains(testing::HasSubstr("whole"))));
}

TEST_F(GroupNorm, WhoseInnerResultIsReadElsewhereIsNone) {
  model_.node("Mul", {"y", "gamma"}, {"m"}).node("Add", {"m", "beta"}, {"a"}).output("n");
  EXPECT_THAT(found("a"), Not(Contains(testing::HasSubstr("groupnorm"))));
}

}  // namespace
}  // namespace benanza::fusion
