#include "analysis/profile_match/profile_graph.h"

#include <algorithm>
#include <iterator>
#include <set>
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
  problem.epilogue.residual = problem.epilogue.residual || part.residual;
  return problem;
}

bool only_moves(const Problem& problem) { return work(problem, Precision::fp32).flops == 0; }

/// A problem, and the precision at which it ran if that is known.
struct Ran {
  Problem problem;
  std::optional<Precision> precision{};
};

bool is_cast(const Ran& ran) { return std::holds_alternative<Cast>(ran.problem.shape); }

class Layers {
 public:
  /// `stated`: the precision that the profile states, of layers that tell none.
  explicit Layers(std::optional<Precision> stated) : stated_(stated) {}

  /// Without problems, the layer is unsupported: `reason`.
  void add(const ProfiledNode& node, const std::string& op, const std::vector<Ran>& all,
           const Dims& output, const std::string& reason) {
    Layer layer{.name = std::to_string(graph_.layers.size() + 1) + '_' + node.name, .op = op};
    if (!graph_.layers.empty()) layer.inputs.push_back(graph_.layers.size() - 1);
    if (all.empty()) {
      layer.cost = Cost::unsupported;
      layer.reason = reason.empty() ? "the profile does not tell the problem of " + node.name
                                    : node.name + ": " + reason;
    } else {
      const auto moves = [](const Ran& ran) { return only_moves(ran.problem); };
      layer.cost = std::ranges::all_of(all, moves) ? Cost::movement : Cost::measured;
      layer.flops = layer.bytes = 0;
    }
    for (const Ran& ran : all) {
      const Work once = work(ran.problem, Precision::fp32);
      layer.problems.push_back(key(ran.problem));
      *layer.flops += once.flops;
      *layer.bytes += static_cast<double>(once.bytes());
    }
    if (!output.empty()) {
      layer.outputs.push_back({.name = layer.name, .type = "float", .shape = output});
    }
    note_precision(all);
    graph_.layers.push_back(std::move(layer));
  }

  /// One layer: its parts one after the other or, as an alternative, the call that does them all.
  void add_attention(const ProfiledNode& node, const std::vector<const Part*>& parts) {
    std::vector<Ran> all;
    for (const Part* const part : parts) {
      if (const auto problem = problem_of(*part)) all.push_back({*problem, part->precision});
    }
    const Part& last = *parts.back();
    const bool is_complete = all.size() == parts.size();
    if (!is_complete) all = {{parse(last.whole), last.precision}};
    const bool is_forward = asks_for<Attention>(last.whole);
    add(node, is_forward ? "Attention" : "AttentionGrad", all, last.output, "");
    if (is_complete) {
      graph_.fusions.push_back({.pattern = is_forward ? "attention" : "attention_gradient",
                                .layers = {graph_.layers.size() - 1},
                                .problem = last.whole,
                                .whole = true});
    }
  }

  Graph take() {
    if (precisions_.size() > 1) {
      for (std::size_t at = 0; at < own_.size(); ++at) {
        if (own_[at]) graph_.layers[at].precision = to_string(*own_[at]);
      }
      return std::move(graph_);
    }
    if (!precisions_.empty()) graph_.precision = to_string(*precisions_.begin());
    for (const std::size_t at : casts_) graph_.layers[at].precision = "cast";
    return std::move(graph_);
  }

 private:
  void note_precision(const std::vector<Ran>& all) {
    own_.emplace_back();
    if (all.empty()) return;
    if (std::ranges::all_of(all, is_cast)) casts_.push_back(own_.size() - 1);
    std::optional<Precision> own = all.back().precision;
    // TF32 is fp32 with other products.
    const bool in_tf32 = own == Precision::fp32 && stated_ == Precision::tf32;
    if (!own || in_tf32) own = stated_;
    if (own) precisions_.insert(*own);
    own_.back() = own;
  }

  Graph graph_;
  std::optional<Precision> stated_;
  /// At which the layers ran, if that is known, and the distinct ones.
  std::vector<std::optional<Precision>> own_;
  std::set<Precision> precisions_;
  std::vector<std::size_t> casts_;
};

/// "aten::lstm, aten::where and 3 more".
std::string names_of(const std::map<std::string, double>& unknown) {
  constexpr std::size_t most = 3;
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, seconds] : unknown) {
    if (++count <= most) text += (text.empty() ? "" : ", ") + name;
  }
  if (count > most) text += " and " + std::to_string(count - most) + " more";
  return text;
}

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
  Layers layers(parse_precision(profile.precision));
  bool has_problem = false;
  for (const ProfiledNode& node : profile.nodes) {
    if (is_free(profile, node)) continue;
    std::vector<const Part*> parts;
    for (const Part& part : node.parts) {
      if (!part.optional || part.done) parts.push_back(&part);
    }
    if (parts.empty()) {
      // A conversion of types, which models may have or not.
      const auto sized =
          std::ranges::find_if(node.parts, [](const Part& part) { return !part.problem.empty(); });
      if (sized != node.parts.end()) parts.push_back(&*sized);
    }
    bool is_known = !parts.empty();
    std::string reason;
    const auto rest =
        std::ranges::stable_partition(parts, [](const Part* part) { return !part->whole.empty(); });
    const std::vector<const Part*> of_attention(parts.begin(), rest.begin());
    if (!of_attention.empty()) layers.add_attention(node, of_attention);
    for (const Part* const part : rest) {
      std::vector<Ran> all;
      if (const auto problem = problem_of(*part)) all.push_back({*problem, part->precision});
      is_known = is_known && !all.empty();
      if (reason.empty()) reason = part->reason;
      layers.add(node, part->op, all, part->output, part->reason);
    }
    has_problem = has_problem || is_known;
    if (parts.empty()) layers.add(node, node.op.empty() ? node.name : node.op, {}, {}, "");
    result.seconds += node.seconds;
    const std::string name_and_reason =
        reason.empty() ? node.name : node.name + " (" + reason + ')';
    (is_known ? result.known_seconds : result.unknown[name_and_reason]) += node.seconds;
  }
  if (!has_problem) {
    throw Error(profile.path.string() + ": none of its operators has a problem" +
                (result.unknown.empty() ? "" : ": " + names_of(result.unknown)) +
                ". A suite needs sizes: a trace of PyTorch with record_shapes, or a profile of "
                "JAX. If the model is an ONNX file, generate from that, and for any other program "
                "record it with benanza-record");
  }
  result.graph = layers.take();
  result.graph.model = name;
  result.graph.batch = profile.batch;
  return result;
}

}  // namespace benanza::analysis
