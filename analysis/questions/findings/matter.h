#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/algorithms.h"
#include "analysis/profile_match/picks.h"
#include "analysis/questions/bound/report.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/findings/finding.h"
#include "analysis/questions/fusion/report.h"
#include "analysis/questions/inspect/inspection.h"
#include "analysis/questions/layouts/plans.h"

namespace benanza::analysis {

/// What the kinds of findings look at: a model at one precision, with the answers of the questions
/// about it, each computed when it is first asked for.
class Matter {
 public:
  /// Both must outlive this object. `bound`: full_report() of the subject.
  Matter(const Subject& subject, const BoundReport& bound);

  const Subject& subject() const { return subject_; }
  const Graph& graph() const { return subject_.graph; }
  const BoundReport& bound() const { return bound_; }
  std::string name_of(std::size_t layer) const { return graph().layers[layer].name; }

  /// The last profile of the subject's precision that has a latency; null if there is none. Then
  /// findings are about the bound itself.
  const Comparison* run() const { return run_; }
  /// Only if there is a run.
  const Profile& profile() const { return *run_->profile; }
  bool is_of_gpu() const;
  /// The run's latency; the bound without a run.
  Baseline whole() const;
  /// The same, of a GPU that waits for the host: what the run takes as a CUDA graph, otherwise the
  /// time in which the GPU is busy.
  Baseline device() const;
  /// device() only if the GPU waits for the host.
  Baseline reference(Affects affects) const;
  /// True if the GPU is idle for more than a tenth of the latency: then nobody sees what a faster
  /// kernel gains.
  bool waits_for_host() const;

  /// Seconds of the least bound that is known, with fusion.
  double least_seconds() const;
  /// What a run may come down to with the bound's calls: least_seconds(), but no less than their
  /// fastest sequence takes, unless a plan was run, which tells more. Only if there is a run.
  double reachable_seconds() const;
  /// The fastest of the bound's calls in sequence; null if none was timed.
  const SequenceRun* sequence() const;
  /// The plan that took least, if one was run; null without one. `fused`: of those with calls of
  /// several layers.
  const PlanRun* plan(bool fused = false) const;
  /// "PyTorch". Only if there is a run.
  std::string framework() const;
  /// True if the profile says that the run was made with this option ("channels_last").
  bool has_option(std::string_view option) const;

  const FusionReport& fusion() const;
  /// Products that are calls of their own in the bound, and what the run took for them; no picks
  /// without a profile of kernels.
  const std::vector<AlgorithmRow>& products() const;
  const std::vector<FrameworkPick>& picks() const;
  /// Null unless the run's profile says what the GPU did.
  const Inspection* inspection() const;
  /// Null if only one layout is asked for.
  const LayoutPlans* layouts() const;

  /// Ascending indices of the layers of these names.
  std::vector<std::size_t> layers_named(const std::vector<std::string>& names) const;
  /// "conv_3 and 2 more".
  std::string names_text(const std::vector<std::size_t>& layers) const;
  /// "benanza-analyze QUESTION" with the files and filters that were given.
  std::string ask(std::string_view question, std::string_view more = "") const;
  /// The same of `inspect`, which takes a run and no results. Only if there is a run.
  std::string ask_inspect() const;

 private:
  std::string graph_path() const;

  const Subject& subject_;
  const BoundReport& bound_;
  const Comparison* run_ = nullptr;
  mutable std::unique_ptr<FusionReport> fusion_;
  mutable std::optional<std::vector<AlgorithmRow>> products_;
  mutable std::optional<std::vector<FrameworkPick>> picks_;
  mutable std::unique_ptr<Inspection> inspection_;
  mutable std::unique_ptr<LayoutPlans> layouts_;
};

}  // namespace benanza::analysis
