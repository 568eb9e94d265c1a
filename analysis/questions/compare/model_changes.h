#pragma once

#include <vector>

#include "analysis/questions/common/question.h"
#include "analysis/questions/compare/changes.h"

namespace benanza::analysis {

/// Whether a model became slower, by what its layers weigh. A layer is slower if the problem of one
/// of its calls is (ChangeKind::slower) and it takes longer than the machine's drift explains.
struct ModelVerdict {
  /// The sequential bounds over the layers that have a time in both sets.
  double before_seconds = 0;
  double after_seconds = 0;
  std::size_t layers = 0;
  std::vector<std::size_t> slower{};
  /// By which the slower layers take longer, together. Nothing that is faster makes up for it.
  double slower_seconds = 0;
  /// Layers with a time before, of which a call's problem is lost (ChangeKind::lost).
  std::vector<std::size_t> lost{};

  /// Of the bound before.
  double slower_share() const { return before_seconds > 0 ? slower_seconds / before_seconds : 0; }
  bool is_worse(double tolerance) const { return !lost.empty() || slower_share() > tolerance; }
};
ModelVerdict model_verdict(const Graph& graph, const Changes& changes, Movement movement,
                           const std::vector<LayerTime>& before,
                           const std::vector<LayerTime>& after);
/// "LBL 1.4% lower; 2 of 64 layers are slower, by 0.003 ms in all, 0.1% of the bound: within the
/// tolerance of 5%".
std::string verdict_text(const ModelVerdict& verdict, double tolerance);

/// A model's bounds from its layers' times in two sets of results, over the layers that have a time
/// in both, and the layers that make the difference.
Section model_changes_section(const Graph& graph, const MeasurementFilter& filter,
                              Movement movement, const std::vector<LayerTime>& before,
                              const std::vector<LayerTime>& after);

}  // namespace benanza::analysis
