// Random attention: found however it is written, and what is found computes what the model does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "generator/fusion/fusion.h"
#include "suites/tests/random/attention_graph.h"
#include "suites/verify/reference.h"

namespace benanza::definitions {
namespace {

std::vector<Attention> found_in(const LoweredGraph& graph) {
  std::vector<Attention> found;
  for (const Fusion& fusion : fusion::find_fusions(graph.layers)) {
    if (fusion.pattern != "attention" || !fusion.whole) continue;
    found.push_back(std::get<Attention>(parse(fusion.problem).shape));
  }
  return found;
}

/// What the masks add, at the places of the problem's mask; triangles only if the problem is not
/// causal.
std::vector<float> mask_of(const AttentionGraph& graph, const Attention& shape) {
  const Dims scores{shape.batch, shape.heads, shape.queries, shape.keys};
  Tensor all{scores, std::vector<double>(static_cast<std::size_t>(count(scores)), 0)};
  for (const AppliedMask& mask : graph.masks) {
    if (mask.causal && shape.causal) continue;
    for (std::size_t i = 0; i < all.values.size(); ++i) all.values[i] += mask.added[i];
  }
  std::vector<float> values;
  Dims at(4, 0);
  do {
    values.push_back(static_cast<float>(all.at(at)));
  } while (advance(at, shape.mask));
  return values;
}

void expect_meaning(const AttentionGraph& graph, const Attention& shape, const Tensor& expected) {
  std::vector<std::vector<float>> operands{graph.q, graph.k, graph.v};
  if (!shape.mask.empty()) operands.push_back(mask_of(graph, shape));
  const Problem problem{shape, {}};
  ASSERT_EQ(inputs(problem).size(), operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    ASSERT_EQ(element_count(inputs(problem)[i].dims), std::ssize(operands[i])) << key(problem);
  }
  ASSERT_EQ(element_count(output(problem)), std::ssize(expected.values)) << key(problem);
  for (std::int64_t i = 0; i < std::ssize(expected.values); ++i) {
    ASSERT_NEAR(expected.values[static_cast<std::size_t>(i)],
                verify::reference(problem, operands, i), 2e-5)
        << key(problem) << " element " << i;
  }
}

bool has_triangle(const AttentionGraph& graph) {
  for (const AppliedMask& mask : graph.masks) {
    if (mask.causal) return true;
  }
  return false;
}

TEST(RandomAttention, IsFoundWithItsMeaning) {
  int causal = 0;
  int masked = 0;
  int grouped = 0;
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const AttentionGraph graph = attention_graph(seed);
    const std::vector<Attention> found = found_in(graph.graph.model.import());
    ASSERT_FALSE(found.empty()) << graph.graph.text();
    const Tensor expected = graph.graph.values().at(graph.result);
    for (const Attention& shape : found) expect_meaning(graph, shape, expected);
    EXPECT_EQ(found.front().causal, has_triangle(graph));
    // The heads of keys are read where they are.
    EXPECT_EQ(found.front().batch * found.front().kv_heads, graph.batch * graph.kv_heads);
    causal += found.front().causal ? 1 : 0;
    masked += found.front().mask.empty() ? 0 : 1;
    grouped += found.front().kv_heads < found.front().heads ? 1 : 0;
  }
  EXPECT_GE(causal, 100);
  EXPECT_GE(masked, 100);
  EXPECT_GE(grouped, 50);
}

TEST(RandomAttention, EveryOpsetHasTheSameProblems) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 160; seed += 4) {
    AttentionGraph graph = attention_graph(seed);
    ASSERT_EQ(graph.graph.opset(), 11);
    onnx::Model& model = graph.graph.model;
    const std::vector<Attention> found = found_in(model.import());
    const auto& nodes = model.graph().node();
    // From opset 13, its axes are an input.
    const bool is_valid = std::none_of(
        nodes.begin(), nodes.end(), [](const auto& node) { return node.op_type() == "Unsqueeze"; });
    for (const int opset : {12, 13, 17}) {
      if (opset >= 13 && !is_valid) continue;
      model.proto().mutable_opset_import(0)->set_version(opset);
      EXPECT_EQ(found_in(model.import()), found) << "seed " << seed << ", opset " << opset;
      ++compared;
    }
  }
  EXPECT_GE(compared, 80);
}

class NearMiss : public testing::TestWithParam<Flaw> {};

TEST_P(NearMiss, IsNotAttention) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const AttentionGraph graph = attention_graph(seed, GetParam());
    EXPECT_THAT(found_in(graph.graph.model.import()), testing::IsEmpty()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(RandomAttention, NearMiss,
                         testing::Values(Flaw::other_axis, Flaw::mask_behind_softmax,
                                         Flaw::scale_from_data, Flaw::scale_behind_data_mask,
                                         Flaw::logarithm, Flaw::scores_read_elsewhere,
                                         Flaw::small_replacement, Flaw::cleared_but_not_hidden,
                                         Flaw::two_data_masks));

}  // namespace
}  // namespace benanza::definitions
