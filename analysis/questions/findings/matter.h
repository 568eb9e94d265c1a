#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/algorithms.h"
#include "analysis/model/layer_time.h"
#include "analysis/profile_match/picks.h"
#include "analysis/questions/bound/report.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/findings/finding.h"
#include "analysis/questions/fusion/report.h"
#include "analysis/questions/inspect/inspection.h"
#include "analysis/questions/layouts/plans.h"
#include "core/problem/precision.h"
#include "core/statistics/process_sum.h"
#include "core/statistics/repetitions.h"

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

/// Equal things that cost time in several layers: those of one problem are named once.
class EqualProblems {
 public:
  struct Item {
    std::size_t layer = 0;
    /// Of the layer's problem; layers without one are all different.
    std::string key{};
    double seconds = 0;
    /// What is the matter with it.
    std::string note{};
  };

  void add(Item item);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  double seconds() const;
  /// Ascending, each once.
  std::vector<std::size_t> layers() const;
  /// Of the problem that costs most, with the number of its layers: "conv_3 and 2 more of this
  /// problem (40.0 us by a, 10.0 us by b)".
  std::string worst_text(const Matter& matter) const;

 private:
  std::vector<Item> items_;
};

/// The calls that did some work before a change, and those that do it after.
class SavedCalls {
 public:
  void add_before(const Measurement& call);
  void add_after(const Measurement& call);
  /// All calls of a layer. Of one after the change, also what its choice may owe to chance.
  void add_before(const LayerTime& time);
  void add_after(const LayerTime& time);

  double before_seconds() const { return before_.seconds; }
  double after_seconds() const { return after_.seconds; }
  double gain_seconds() const { return before_.seconds - after_.seconds; }
  /// 95%, from the processes, or the repetitions of one process. What all calls of a run have in
  /// common scales the gain only. Empty if it is not known.
  std::optional<Interval> interval() const;

 private:
  struct Side {
    double seconds = 0;
    double luck_seconds = 0;
    double deviation_seconds = 0;
    ProcessSum over_processes{};
    RepetitionSum within_one{};

    void add(const Measurement& call);
    std::optional<Uncertain> estimate() const;
  };
  Side before_;
  Side after_;
};

/// The interval of a difference of two times with these intervals; empty if one is not known.
std::optional<Interval> difference_interval(double before, const std::optional<Interval>& of_before,
                                            double after, const std::optional<Interval>& of_after);

// What to do about it (remedies.cpp).
/// The GPU waits for the host. Only if there is a run.
Remedy remedy_for_launches(const Matter& matter);
/// Convolutions by slower algorithms than the fastest.
Remedy remedy_for_algorithms(const Matter& matter);
/// Layers that one call can do.
Remedy remedy_for_fusion(const Matter& matter);
/// Tensors in NCHW, where NHWC is faster.
Remedy remedy_for_layout(const Matter& matter);
/// A smaller type.
Remedy remedy_for_precision(const Matter& matter, Precision precision);
/// Branches one after the other.
Remedy remedy_for_branches(const Matter& matter);
/// Operators of a run that take longer than the fastest calls; `op` is the ONNX operator.
Remedy remedy_for_operators(const Matter& matter, const std::string& op);
/// Fewer threads are as fast.
Remedy remedy_for_threads(const Matter& matter, std::int64_t threads);

}  // namespace benanza::analysis
