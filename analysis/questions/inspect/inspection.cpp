#include "analysis/questions/inspect/inspection.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/profile_match/evidence.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/latency.h"
#include "analysis/questions/inspect/advice.h"
#include "core/base/error.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {
namespace {

constexpr KernelRole side_roles[] = {KernelRole::layout, KernelRole::padding, KernelRole::copy,
                                     KernelRole::cast,   KernelRole::fill,    KernelRole::combine};

bool only_moves(const Layer& layer) {
  return layer.cost == Cost::movement || layer.op == "Cast" || layer.op == "Concat";
}

class Inspector {
 public:
  Inspector(const Graph& graph, const Profile& profile)
      : graph_(graph), profile_(profile), mapping_(map_layers(graph, profile.nodes)) {
    require_same_model(graph, mapping_, profile);
    is_distributed_ = std::ranges::any_of(profile.nodes, is_communication);
    has_graphs_ = std::ranges::any_of(profile.nodes, is_graph_launch);
  }

  Inspection run() {
    result_.quality = quality(graph_, mapping_);
    result_.timeline = *profile_.timeline;
    if (const auto latency = model_latency(profile_)) result_.latency_seconds = latency->seconds;
    if (const auto latency = graph_latency(profile_)) {
      result_.graph_latency_seconds = latency->seconds;
    }
    scale_waits();
    scale_work();
    for (std::size_t node = 0; node < profile_.nodes.size(); ++node) inspect_node(node);
    inspect_layers();
    std::ranges::stable_sort(result_.findings, [](const Deviation& a, const Deviation& b) {
      return a.seconds > b.seconds;
    });
    add_up();
    return std::move(result_);
  }

 private:
  void scale_waits() {
    const Timeline& timeline = result_.timeline;
    if (!result_.latency_seconds || timeline.host_bound_seconds <= 0) return;
    const double idle = std::max(0.0, *result_.latency_seconds - timeline.busy_seconds);
    result_.wait_scale = std::min(1.0, idle / timeline.host_bound_seconds);
  }

  void scale_work() {
    const double busy = result_.timeline.busy_seconds;
    if (!result_.latency_seconds || busy <= 0) return;
    result_.work_scale = std::min(1.0, *result_.latency_seconds / busy);
  }

  void inspect_node(std::size_t index) {
    const ProfiledNode& node = profile_.nodes[index];
    const std::vector<std::size_t>& layers = mapping_.layers_of_node[index];
    if (!layers.empty()) place_ = graph_.layers[main_layer(index)].name;
    Deviation common{.layer = place_, .node = node.name};
    // What takes no time, as far as the trace tells, is no loss.
    if (layers.empty() && node.seconds > 0) {
      Deviation finding = common;
      const auto untold = untold_work(node, is_distributed_);
      finding.what = node.op.empty() ? node.name : node.op;
      finding.seconds = node.seconds;
      finding.detail = kernels(node, [](const KernelTraits&) { return true; });
      finding.advice = advice_on_extra(node.op);
      if (untold) {
        finding.difference = Difference::untold;
        finding.what = untold->what;
        finding.advice = untold->advice;
      } else if (only_copies(node)) {
        const KernelRole role = copy_role(node);
        finding.what = name_of(role);
        finding.advice = advice_on(role, node.op, profile_);
      }
      add(std::move(finding));
    } else if (!layers.empty() && !only_moves(graph_.layers[main_layer(index)])) {
      side_work(node, common);
      arithmetic(index, common);
    }
    wait(node, common);
  }

  /// The layer that names the operator in a report: one of its own kind, otherwise the first.
  std::size_t main_layer(std::size_t index) const {
    const std::vector<std::size_t>& layers = mapping_.layers_of_node[index];
    for (const Pair& pair : mapping_.pairs) {
      const auto& part = profile_.nodes[pair.node].parts[pair.part];
      if (pair.node == index && part.op == profile_.nodes[index].op) return pair.layer;
    }
    return layers.front();
  }

  /// Only copies data, which the model may or may not require.
  static bool only_copies(const ProfiledNode& node) {
    return node.op.empty() && !node.parts.empty();
  }

  static KernelRole copy_role(const ProfiledNode& node) {
    for (const ProfiledKernel& kernel : node.kernels) {
      if (kernel_traits(kernel.name).role == KernelRole::cast) return KernelRole::cast;
    }
    return KernelRole::copy;
  }

  template <class Accept>
  static std::string kernels(const ProfiledNode& node, Accept&& accept) {
    std::string text;
    for (const ProfiledKernel& kernel : node.kernels) {
      if (!accept(kernel_traits(kernel.name))) continue;
      if (!text.empty()) text += " + ";
      text += kernel.name;
    }
    return text;
  }

  void side_work(const ProfiledNode& node, const Deviation& common) {
    for (const KernelRole role : side_roles) {
      Deviation finding = common;
      std::size_t count = 0;
      for (const ProfiledKernel& kernel : node.kernels) {
        if (kernel_traits(kernel.name).role != role) continue;
        finding.seconds += kernel.seconds;
        ++count;
      }
      if (count == 0) continue;
      finding.what = name_of(role);
      finding.detail =
          kernels(node, [&](const KernelTraits& traits) { return traits.role == role; });
      finding.advice = advice_on(role, node.op, profile_);
      add(std::move(finding));
    }
  }

  void arithmetic(std::size_t index, const Deviation& common) {
    const ProfiledNode& node = profile_.nodes[index];
    if (profile_.precision == "fp32" || profile_.precision.empty()) return;
    if (node.op != "Conv" && node.op != "MatMul" && node.op != "ConvTranspose") return;
    Deviation finding = common;
    for (const ProfiledKernel& kernel : node.kernels) {
      const KernelTraits traits = kernel_traits(kernel.name);
      if (traits.tensor_cores == true) return;
      // The framework's other kernels add a bias, say.
      const bool multiplies = !is_framework_kernel(kernel.name) || !traits.algorithm.empty();
      if (traits.tensor_cores == false && multiplies) finding.seconds += kernel.seconds;
    }
    if (finding.seconds == 0) return;
    finding.difference = Difference::arithmetic;
    finding.what = node.op + " without Tensor Cores";
    finding.at_most = true;
    finding.detail =
        kernels(node, [](const KernelTraits& traits) { return traits.tensor_cores == false; });
    finding.advice = advice_on_arithmetic(profile_);
    add(std::move(finding));
  }

  void wait(const ProfiledNode& node, const Deviation& common) {
    Deviation finding = common;
    for (const ProfiledKernel& kernel : node.kernels) finding.seconds += kernel.waited_seconds;
    finding.seconds *= result_.wait_scale;
    if (finding.seconds <= 0) return;
    finding.difference = Difference::wait;
    finding.what = "GPU waits for the host";
    finding.detail =
        node.kernels.size() == 1 ? "1 launch" : std::to_string(node.kernels.size()) + " launches";
    finding.advice = advice_on_waits;
    add(std::move(finding));
  }

  void inspect_layers() {
    for (std::size_t index = 0; index < graph_.layers.size(); ++index) {
      const Layer& layer = graph_.layers[index];
      const MatchKind found = mapping_.found[index];
      if (layer.cost == Cost::free || (found != MatchKind::no && found != MatchKind::inside))
        continue;
      Deviation finding{.difference = Difference::missing, .what = layer.op, .layer = layer.name};
      if (mapping_.node_of_layer[index]) {
        finding.node = profile_.nodes[*mapping_.node_of_layer[index]].name;
      }
      finding.advice =
          has_graphs_ ? std::string(advice_on_missing_beside_graphs) : advice_on_missing(layer.op);
      add(std::move(finding));
    }
    for (const Pair& pair : mapping_.pairs) inspect_pair(pair);
  }

  void inspect_pair(const Pair& pair) {
    const Layer& layer = graph_.layers[pair.layer];
    const ProfiledNode& node = profile_.nodes[pair.node];
    Deviation finding{.what = layer.op, .layer = layer.name, .node = node.name};
    if (mapping_.found[pair.layer] == MatchKind::moved) {
      finding.difference = Difference::order;
      finding.advice = advice_on_order;
      add(std::move(finding));
      return;
    }
    const std::string& run = node.parts[pair.part].problem;
    if (mapping_.found[pair.layer] != MatchKind::kind || run.empty() || layer.problems.empty())
      return;
    finding.difference = Difference::parameters;
    finding.seconds = node.seconds;
    finding.at_most = true;
    finding.detail = run + " instead of " + layer.problems.front();
    finding.advice = advice_on_parameters;
    add(std::move(finding));
  }

  void add(Deviation finding) {
    if (finding.difference != Difference::wait) finding.seconds *= result_.work_scale;
    result_.findings.push_back(std::move(finding));
  }

  void add_up() {
    std::map<std::tuple<Difference, std::string, std::string>, std::size_t> places;
    for (const Deviation& finding : result_.findings) {
      const auto [place, added] = places.try_emplace(
          {finding.difference, finding.what, finding.advice}, result_.totals.size());
      if (added) {
        result_.totals.push_back({.difference = finding.difference,
                                  .what = finding.what,
                                  .at_most = finding.at_most,
                                  .advice = finding.advice});
      }
      Total& total = result_.totals[place->second];
      ++total.count;
      total.seconds += finding.seconds;
    }
    std::ranges::stable_sort(result_.totals,
                             [](const Total& a, const Total& b) { return a.seconds > b.seconds; });
  }

  const Graph& graph_;
  const Profile& profile_;
  Mapping mapping_;
  Inspection result_;
  std::string place_;
  bool is_distributed_ = false;
  bool has_graphs_ = false;
};

}  // namespace

std::string_view to_string(Difference difference) {
  constexpr std::string_view names[] = {"extra",      "missing", "parameters", "order",
                                        "arithmetic", "untold",  "wait"};
  return names[static_cast<std::size_t>(difference)];
}

Inspection inspect(const Graph& graph, const Profile& profile) {
  if (!profile.timeline) {
    throw Error(profile.path.string() +
                ": does not say what the GPU did: inspect needs a profile "
                "of scripts/profile-pytorch, or PyTorch's trace");
  }
  return Inspector(graph, profile).run();
}

}  // namespace benanza::analysis
