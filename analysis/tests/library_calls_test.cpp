#include <gmock/gmock.h>

#include "analysis/profile_match/mapping.h"

namespace benanza::analysis {
namespace {

TEST(LibraryCalls, AreFoundInTheModelByOrderAndProblem) {
  const std::string problem = "conv/1x32x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g2";
  const Layer conv{.name = "c", .op = "Conv", .inputs = {}, .problems = {problem}};
  const Layer relu{.name = "r", .op = "Relu", .inputs = {0}, .problems = {"relu/1x64x28x28"}};
  const Graph graph{.model = "m", .layers = {conv, relu}};
  const std::vector<LibraryCall> calls{{.problem = "batchnorm/1x64x112x112_e1e-05"},
                                       {.problem = problem}};
  EXPECT_THAT(calls_of_layers(graph, calls),
              testing::ElementsAre(std::optional<std::size_t>(1), std::nullopt));
}

}  // namespace
}  // namespace benanza::analysis
