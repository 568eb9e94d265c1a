// What softmax an attention may have: sinks, and scores less their largest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/fusion/attention_models.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::IsEmpty;

/// Scores with one column more, of `column` (expanded, if that is not empty), which is left out
/// again behind their softmax.
Model sinking(const Dims& column, const Dims& expanded, bool is_first, bool less_largest) {
  Model model = scored(17);
  model.weights("c", column);
  const char* sinks = "c";
  if (!expanded.empty()) {
    model.integers("all", expanded).node("Expand", {"c", "all"}, {"e"});
    sinks = "e";
  }
  const std::vector<std::string> parts{is_first ? sinks : "s", is_first ? "s" : sinks};
  model.node("Concat", parts, {"more"}, {{"axis", 3}});
  if (less_largest) {
    model.node("ReduceMax", {"more"}, {"largest"}, {{"axes", Dims{3}}, {"keepdims", 1}});
    model.node("Sub", {"more", "largest"}, {"less"});
  }
  model.node("Softmax", {less_largest ? "less" : "more"}, {"p"}, {{"axis", 3}});
  model.integers("from", {is_first ? 1 : 0}).integers("to", {is_first ? 6 : 5});
  model.integers("axis", {3}).node("Slice", {"p", "from", "to", "axis"}, {"w"});
  return model.node("MatMul", {"w", "v"}, {"y"}).output("y");
}

// As GPT-OSS is exported.
TEST(AttentionSoftmax, AColumnOfSinksBehindTheScores) {
  const auto one_call = ElementsAre("attention/2x4x5x16_k4x5x16_s1_sink");
  for (const bool less_largest : {false, true}) {
    EXPECT_THAT(problems(sinking({1, 4, 1, 1}, {2, 4, 5, 1}, false, less_largest)), one_call);
    EXPECT_THAT(problems(sinking({4, 1, 1}, {2, 4, 5, 1}, true, less_largest)), one_call);
  }
  EXPECT_THAT(problems(sinking({2, 4, 5, 1}, {}, false, true)), IsEmpty())
      << "another one for each query";
  EXPECT_THAT(problems(sinking({5, 1}, {2, 4, 5, 1}, false, true)), IsEmpty());
}

TEST(AttentionSoftmax, ScoresLessTheLargestOfTheirRow) {
  Model model = scored(17);
  model.node("ReduceMax", {"s"}, {"largest"}, {{"axes", Dims{3}}, {"keepdims", 1}});
  model.node("Sub", {"s", "largest"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1"));
  Model of_columns = scored(17);
  of_columns.node("ReduceMax", {"s"}, {"largest"}, {{"axes", Dims{2}}, {"keepdims", 1}});
  of_columns.node("Sub", {"s", "largest"}, {"m"});
  EXPECT_THAT(problems(attended(of_columns)), IsEmpty());
}

}  // namespace
}  // namespace benanza::fusion
