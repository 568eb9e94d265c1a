#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model/algorithms.h"
#include "analysis/questions/compare/changes.h"
#include "analysis/questions/joint.h"
#include "analysis/questions/layouts/plans.h"
#include "analysis/questions/tensor_cores.h"
#include "analysis/profile_match/comparison.h"
#include "analysis/profile_match/picks.h"
#include "analysis/render/page.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// "resnet50_v1, batch 8, fp32, layout nhwc": the model, and what was chosen.
std::string choice_heading(const Graph& graph, const Choice& choice,
                           Movement movement = Movement::exclude);

/// "fp32, layout nhwc": what was chosen.
std::string choice_text(const Choice& choice, Movement movement = Movement::exclude);

/// The facts "precision" and what else was chosen.
void add_choice_facts(const Choice& choice, nlohmann::ordered_json& facts);

/// A section about one model: its heading, and the facts "model", "batch", "precision" and what
/// else was chosen.
Section model_section(const Graph& graph, const Choice& choice);

/// "layout/backend/algorithm" of the calls, in their order; with the fusion that chose them.
std::string calls_text(const LayerTime& time);
/// The same of one call; "-" for none.
std::string call_text(const Measurement* call);
/// Empty for none.
std::optional<double> seconds_of(const Measurement* call);

/// `picks`: of a framework, one per row, or none.
Section algorithms_section(const Graph& graph, const Choice& choice,
                           const std::vector<AlgorithmRow>& rows,
                           const std::vector<FrameworkPick>& picks = {});
/// `rows` and `picks`: the products at the precision with Tensor Cores and the framework's kernels
/// for them, or none.
Section tensor_cores_section(const Graph& graph, const TensorCoreProfit& profit,
                             const std::vector<AlgorithmRow>& rows = {},
                             const std::vector<FrameworkPick>& picks = {});
Section joint_section(const Graph& graph, const Choice& choice, const JointAnswer& answer);

/// Speed-ups of every subset, one column for each of several sections' models.
struct JointColumn {
  std::string heading{};
  JointAnswer answer{};
};
Section joint_summary(const std::vector<JointColumn>& columns);
/// `any`: the times of the layers each in its own best layout, changes not counted.
Section layouts_section(const Graph& graph, const Choice& choice, const LayoutPlans& plans,
                        const Bounds& any);

/// Two sets of results at one precision: what became slower, faster, and so on. `same`: with rows
/// of what did not.
Section changes_section(const Choice& choice, const Changes& changes, double tolerance,
                        bool same = false);

/// A model by one set of results.
struct ModelTimes {
  std::vector<LayerTime> times{};
  Bounds bounds{};
};
/// A model's bounds by two sets of results, and the layers that make the difference.
Section model_changes_section(const Graph& graph, const Choice& choice, Movement movement,
                              const ModelTimes& before, const ModelTimes& after);

}  // namespace benanza::analysis
