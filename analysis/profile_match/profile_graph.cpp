#include "analysis/profile_match/profile_graph.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/base/error.h"
#include "core/problem/problem.h"

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

/// On a GPU, an operator without a kernel does nothing; on a processor, all have a time.
bool is_free(const ProfiledNode& node, bool on_gpu) {
  if (on_gpu || node.kernels.empty()) return node.kernels.empty() && !(node.seconds > 0);
  return is_wrapper(node.name) ||
         std::ranges::find(free_operators, node.name) != std::end(free_operators);
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
  void add(const ProfiledNode& node, const std::string& op, const std::optional<Problem>& problem,
           const Dims& output) {
    Layer layer{.name = std::to_string(layers_.size() + 1) + '_' + node.name, .op = op};
    if (!layers_.empty()) layer.inputs.push_back(layers_.size() - 1);
    if (problem) {
      const Work once = work(*problem, Precision::fp32);
      layer.cost = only_moves(*problem) ? Cost::movement : Cost::measured;
      layer.problems.push_back(key(*problem));
      layer.flops = once.flops;
      layer.bytes = static_cast<double>(once.bytes());
    } else {
      layer.cost = Cost::unsupported;
      layer.reason = "the profile does not tell the problem of " + node.name;
    }
    if (!output.empty()) {
      layer.outputs.push_back({.name = layer.name, .type = "float", .shape = output});
    }
    layers_.push_back(std::move(layer));
  }
  std::vector<Layer> take() { return std::move(layers_); }

 private:
  std::vector<Layer> layers_;
};

}  // namespace

ProfileGraph graph_of_profile(const Profile& profile, const std::string& name) {
  ProfileGraph result;
  Layers layers;
  bool has_problem = false;
  for (const ProfiledNode& node : profile.nodes) {
    if (is_free(node, profile.timeline.has_value())) continue;
    std::vector<const Part*> parts;
    for (const Part& part : node.parts) {
      if (!part.optional) parts.push_back(&part);
    }
    bool is_known = !parts.empty();
    for (const Part* const part : parts) {
      const auto problem = problem_of(*part);
      is_known = is_known && problem;
      has_problem = has_problem || problem;
      layers.add(node, part->op, problem, part->output);
    }
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
  result.graph = {.model = name, .batch = profile.batch, .layers = layers.take()};
  return result;
}

}  // namespace benanza::analysis
