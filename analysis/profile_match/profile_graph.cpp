#include "analysis/profile_match/profile_graph.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

/// PyTorch's operators that only describe memory anew, or do nothing at inference.
constexpr std::string_view free_operators[] = {
    "aten::view",           "aten::reshape", "aten::flatten",  "aten::permute",
    "aten::transpose",      "aten::t",       "aten::squeeze",  "aten::unsqueeze",
    "aten::expand",         "aten::slice",   "aten::select",   "aten::narrow",
    "aten::split",          "aten::chunk",   "aten::unbind",   "aten::detach",
    "aten::alias",          "aten::dropout", "aten::dropout_", "aten::as_strided",
    "aten::feature_dropout"};

/// What calls operators and does nothing else: functions of autograd ("ReluBackward0") and ranges
/// of PyTorch's own ("Optimizer.step#SGD.step").
bool is_wrapper(std::string_view name) {
  return name.find("::") == name.npos || name.starts_with("autograd::") ||
         name.starts_with("torch::autograd::");
}

/// The problem of a part; with the bias that its operator adds.
std::optional<Problem> problem_of(const Part& part) {
  if (part.problem.empty()) return std::nullopt;
  Problem problem = parse(part.problem);
  problem.epilogue.bias = problem.epilogue.bias || part.bias;
  return problem;
}

bool only_moves(const Problem& problem) { return work(problem, Precision::fp32).flops == 0; }

class Layers {
 public:
  /// Without problems, the layer is unsupported.
  void add(const ProfiledNode& node, const std::string& op, const std::vector<Problem>& problems,
           const Dims& output) {
    Layer layer{.name = std::to_string(graph_.layers.size() + 1) + '_' + node.name, .op = op};
    if (!graph_.layers.empty()) layer.inputs.push_back(graph_.layers.size() - 1);
    if (problems.empty()) {
      layer.cost = Cost::unsupported;
      layer.reason = "the profile does not tell the problem of " + node.name;
    } else {
      layer.cost = std::ranges::all_of(problems, only_moves) ? Cost::movement : Cost::measured;
      layer.flops = layer.bytes = 0;
      const auto is_cast = [](const Problem& problem) {
        return std::holds_alternative<Cast>(problem.shape);
      };
      if (std::ranges::all_of(problems, is_cast)) layer.precision = "cast";
    }
    for (const Problem& problem : problems) {
      const Work once = work(problem, Precision::fp32);
      layer.problems.push_back(key(problem));
      *layer.flops += once.flops;
      *layer.bytes += static_cast<double>(once.bytes());
    }
    if (!output.empty()) {
      layer.outputs.push_back({.name = layer.name, .type = "float", .shape = output});
    }
    graph_.layers.push_back(std::move(layer));
  }

  /// One layer: its parts one after the other or, as an alternative, the call that does them all.
  void add_attention(const ProfiledNode& node, const std::vector<const Part*>& parts) {
    std::vector<Problem> problems;
    for (const Part* const part : parts) {
      if (const auto problem = problem_of(*part)) problems.push_back(*problem);
    }
    const Part& last = *parts.back();
    const bool is_complete = problems.size() == parts.size();
    if (!is_complete) problems = {parse(last.whole)};
    const bool is_forward = asks_for<Attention>(last.whole);
    add(node, is_forward ? "Attention" : "AttentionGrad", problems, last.output);
    if (is_complete) {
      graph_.fusions.push_back({.pattern = is_forward ? "attention" : "attention_gradient",
                                .layers = {graph_.layers.size() - 1},
                                .problem = last.whole,
                                .whole = true});
    }
  }

  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
};

}  // namespace

bool is_free(const Profile& profile, const ProfiledNode& node) {
  const bool on_torch_processor = profile.framework == "pytorch" && !profile.timeline;
  if (!on_torch_processor || node.kernels.empty()) {
    return node.kernels.empty() && !(node.seconds > 0);
  }
  return is_wrapper(node.name) ||
         std::ranges::find(free_operators, node.name) != std::end(free_operators);
}

ProfileGraph graph_of_profile(const Profile& profile, const std::string& name) {
  ProfileGraph result;
  Layers layers;
  bool has_problem = false;
  for (const ProfiledNode& node : profile.nodes) {
    if (is_free(profile, node)) continue;
    std::vector<const Part*> parts;
    for (const Part& part : node.parts) {
      if (!part.optional) parts.push_back(&part);
    }
    if (parts.empty()) {
      // A conversion of types, which models may have or not.
      const auto sized =
          std::ranges::find_if(node.parts, [](const Part& part) { return !part.problem.empty(); });
      if (sized != node.parts.end()) parts.push_back(&*sized);
    }
    bool is_known = !parts.empty();
    if (is_known && !parts.front()->whole.empty()) {
      layers.add_attention(node, parts);
    } else {
      for (const Part* const part : parts) {
        std::vector<Problem> problems;
        if (const auto problem = problem_of(*part)) problems.push_back(*problem);
        is_known = is_known && !problems.empty();
        layers.add(node, part->op, problems, part->output);
      }
    }
    has_problem = has_problem || is_known;
    if (parts.empty()) layers.add(node, node.op.empty() ? node.name : node.op, {}, {});
    result.seconds += node.seconds;
    (is_known ? result.known_seconds : result.unknown[node.name]) += node.seconds;
  }
  if (!has_problem) {
    throw Error(profile.path.string() +
                ": tells no sizes of operators; a suite needs a trace of PyTorch with "
                "record_shapes, or a profile of JAX. If the model is an ONNX file, generate from "
                "that, and for any other program record it with benanza-record");
  }
  result.graph = layers.take();
  result.graph.model = name;
  result.graph.batch = profile.batch;
  return result;
}

}  // namespace benanza::analysis
