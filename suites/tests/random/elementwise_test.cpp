// Random chains of elementwise layers, alone and behind a product, a convolution or a softmax:
// every problem computes what its layers do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "generator/fusion/fusion.h"
#include "suites/tests/random/graph.h"
#include "suites/verify/reference.h"

namespace benanza::definitions {
namespace {

/// A chain with branches: later layers may read any earlier tensor.
class Chain {
 public:
  explicit Chain(std::uint64_t seed) : g_(seed % 3 == 0 ? 11 : seed % 3 == 1 ? 13 : 17, seed) {}

  RandomGraph build() {
    std::string x = core();
    for (std::int64_t left = g_.between(2, 7); left > 0; --left) {
      if (g_.chance(6)) branch_ = x;
      x = g_.chance(2) ? function(x) : combination(x);
    }
    g_.model.output(x);
    return std::move(g_);
  }

 private:
  /// The first call; sets the extents of the chain.
  std::string core() {
    const std::int64_t kind = g_.below(6);
    const std::int64_t n = g_.between(1, 3);
    const std::int64_t c = g_.between(2, 4);
    if (kind == 0) {
      dims_ = {n, c, 3, 4};
      const std::string x = g_.input({n, 3, 3, 4});
      return g_.node("Conv", {x, g_.input({c, 3, 3, 3})}, {{"pads", Dims{1, 1, 1, 1}}});
    }
    if (kind == 1) {
      dims_ = {n, c, 5};
      return g_.node("MatMul", {g_.input({n, c, 6}), g_.constant({6, 5}, g_.numbers({6, 5}))});
    }
    if (kind == 2) {
      dims_ = {n + 1, c, 4};
      return g_.node("MatMul", {g_.input({n + 1, c, 3}), g_.input({n + 1, 3, 4})});
    }
    dims_ = g_.chance(2) ? Dims{n, c, 5} : Dims{n, c, 2, 3};
    const std::string x = g_.input(dims_);
    if (kind == 3) return g_.node("Softmax", {x}, {{"axis", std::ssize(dims_) - 1}});
    return x;
  }

  std::string function(const std::string& x) {
    return g_.node(g_.one_of<std::string>({"Relu", "Sigmoid", "Tanh", "LeakyRelu", "Neg", "Abs",
                                           "Softplus", "Identity"}),
                   {x});
  }

  std::string combination(const std::string& x) {
    const std::string op = g_.one_of<std::string>({"Add", "Sub", "Mul", "Div", "Max"});
    const std::int64_t kind = g_.below(5);
    std::string y;
    if (kind == 0) {
      y = g_.number(g_.one_of<float>({0.5F, 2, -1.5F, 3}));
    } else if (kind == 1 && !branch_.empty()) {
      y = branch_;
    } else {
      Dims dims = dims_;
      for (std::int64_t& extent : dims) {
        if (g_.chance(3)) extent = 1;
      }
      if (g_.chance(4)) dims.erase(dims.begin());
      std::vector<float> values = g_.numbers(dims);
      // Far from 0, also for branches that are divided.
      for (float& value : values) value += value > 0 ? 1 : -1;
      y = kind == 2 ? g_.constant(dims, values) : g_.given(dims, values);
    }
    const bool swaps = (op == "Div" && y == branch_) || g_.chance(3);
    if (op == "Div" && (y == branch_ || swaps)) return g_.node("Mul", {y, x});
    return g_.node(op, swaps ? std::vector{y, x} : std::vector{x, y});
  }

  RandomGraph g_;
  Dims dims_;
  std::string branch_;
};

/// Compares problems with the values of the tensors that they make.
class Comparison {
 public:
  explicit Comparison(const RandomGraph& random)
      : values_(random.values()), graph_(random.model.import()) {
    onnx::Model model = random.model;
    for (const auto& node : model.proto().graph().node()) {
      inputs_.emplace_back(node.input().begin(), node.input().end());
      outputs_.push_back(node.output(0));
    }
  }

  void layers() {
    for (std::size_t index = 0; index < graph_.layers.size(); ++index) {
      const LoweredLayer& layer = graph_.layers[index];
      if (layer.cost != Cost::measured || layer.constant) continue;
      std::vector<std::vector<float>> results;
      for (const Call& call : layer.calls) {
        std::vector<std::vector<float>> operands;
        for (const Source& source : call.operands) {
          operands.push_back(source.kind == Source::Kind::call
                                 ? results.at(static_cast<std::size_t>(source.index))
                                 : read(index, source));
        }
        results.push_back(computed(call.problem, operands));
      }
      expect_near(outputs_[index], results.back(), layer.op);
      ++compared;
    }
  }

  void fusions() {
    for (const Fusion& fusion : fusion::find_fusions(graph_.layers)) {
      const Problem problem = parse(fusion.problem);
      const auto operands = operands_of(fusion, problem);
      if (!operands) continue;
      expect_near(outputs_[fusion.layers.back()], computed(problem, *operands), fusion.problem);
      patterns.insert(fusion.pattern);
      ++fused;
    }
  }

  int compared = 0;
  int fused = 0;
  std::set<std::string> patterns;

 private:
  std::vector<float> read(std::size_t layer, const Source& source) const {
    std::vector<float> operand =
        rounded(values_.at(inputs_[layer].at(static_cast<std::size_t>(source.index))));
    for (float& value : operand) value *= source.scale;
    return operand;
  }

  /// Constants and factors behind constant weights may be folded into these: then only a bias alone
  /// is an operand of the problem as it is in the model.
  bool may_be_folded(const Fusion& fusion, const Problem& problem) const {
    const LoweredLayer& first = graph_.layers[fusion.layers.front()];
    if (!is_product(problem) || !first.reads.at(1).constant) return false;
    int constants = 0;
    for (const std::size_t index : fusion.layers) {
      const LoweredLayer& layer = graph_.layers[index];
      if (index == fusion.layers.front()) continue;
      const bool reads_constant = std::any_of(layer.reads.begin(), layer.reads.end(),
                                              [](const Read& r) { return r.constant; });
      if (layer.op == "Neg" || (reads_constant && layer.op != "Add")) return true;
      constants += reads_constant ? 1 : 0;
    }
    return constants > (problem.epilogue.bias ? 1 : 0);
  }

  /// What the fusion's layers read from outside, in their order. Empty if the tensors are not the
  /// problem's operands.
  std::optional<std::vector<std::vector<float>>> operands_of(const Fusion& fusion,
                                                             const Problem& problem) const {
    if (may_be_folded(fusion, problem)) return std::nullopt;
    std::vector<std::vector<float>> operands;
    const std::set<std::size_t> inside(fusion.layers.begin(), fusion.layers.end());
    for (const std::size_t index : fusion.layers) {
      const LoweredLayer& layer = graph_.layers[index];
      for (const Call& call : layer.calls) {
        for (const Source& source : call.operands) {
          const Read& from = layer.reads.at(static_cast<std::size_t>(source.index));
          const bool is_number = from.value && index != fusion.layers.front();
          if ((from.producer && inside.contains(*from.producer)) || is_number) continue;
          operands.push_back(read(index, source));
        }
      }
    }
    const std::vector<Operand> expected = inputs(problem);
    if (operands.size() != expected.size()) return std::nullopt;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (std::ssize(operands[i]) != element_count(expected[i].dims)) return std::nullopt;
    }
    return operands;
  }

  static std::vector<float> computed(const Problem& problem,
                                     const std::vector<std::vector<float>>& operands) {
    std::vector<float> result;
    for (std::int64_t i = 0; i < element_count(output(problem)); ++i) {
      result.push_back(static_cast<float>(verify::reference(problem, operands, i)));
    }
    return result;
  }

  void expect_near(const std::string& tensor, const std::vector<float>& actual,
                   const std::string& what) const {
    const std::vector<double>& expected = values_.at(tensor).values;
    ASSERT_EQ(expected.size(), actual.size()) << what;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(expected[i], static_cast<double>(actual[i]), 1e-4 * (1 + std::abs(expected[i])))
          << what << " element " << i;
    }
  }

  std::map<std::string, Tensor> values_;
  LoweredGraph graph_;
  std::vector<std::vector<std::string>> inputs_;
  std::vector<std::string> outputs_;
};

TEST(RandomElementwise, ProblemsComputeWhatTheirLayersDo) {
  int compared = 0;
  int fused = 0;
  std::set<std::string> patterns;
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph graph = Chain(seed).build();
    Comparison comparison(graph);
    comparison.layers();
    comparison.fusions();
    compared += comparison.compared;
    fused += comparison.fused;
    patterns.merge(comparison.patterns);
  }
  EXPECT_GE(compared, 1500);
  EXPECT_GE(fused, 1000);
  EXPECT_GE(patterns.size(), 300U);
}

}  // namespace
}  // namespace benanza::definitions
