#pragma once

#include <string>
#include <vector>

#include "analysis/model/fusion.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// Why a fusion is part of the cheapest cover or not.
///   used          its layers are done by this call
///   in_bound      one layer's calls in one, or an operator that the exporter took apart: the bound
///                 without fusions takes it already
///   outdone       it saves time, but not beside the fusions that are used
///   does_not_pay  its layers alone take no longer
///   unsupported   the library refuses the problem at this precision
///   missing       it was not measured
enum class Verdict { used, in_bound, outdone, does_not_pay, unsupported, missing };
std::string_view to_string(Verdict verdict);

/// One fusion of the graph, in the order of the graph's fusions.
struct FusionRow {
  Verdict verdict = Verdict::missing;
  /// Of the fused call; empty where unknown.
  std::optional<double> seconds{};
  /// Of its layers alone; empty where one has no time of its own: what the fusion saves is unknown,
  /// and the bound without it lacks that layer.
  std::optional<double> alone_seconds{};
};

/// All fusions of one pattern.
struct PatternRow {
  std::string pattern{};
  std::size_t found = 0;
  std::size_t measured = 0;
  std::size_t unsupported = 0;
  std::size_t missing = 0;
  std::size_t used = 0;
  /// Saved by those that are used, against their layers alone.
  double profit_seconds = 0;
  /// Saved if there were no other pattern.
  double profit_alone_seconds = 0;
  /// Saved inside layers of several calls and by operators as one call: part of the bound without
  /// fusions already.
  double in_bound_seconds = 0;
};

/// The answer of `fusion` for one model, batch and precision.
struct FusionReport {
  const Graph* graph = nullptr;
  MeasurementFilter filter{};
  Movement movement = Movement::exclude;
  /// Of the bound without fusion: each operator that the exporter took apart as one call or by its
  /// layers.
  OperatorTimes operators{};
  /// Per layer, alone, and per fusion of the graph.
  std::vector<LayerTime> layers{};
  std::vector<LayerTime> fusions{};
  Cover cover{};
  /// The fusions of the parallel bound: parallel_fusions().
  std::vector<std::size_t> in_parallel{};
  /// Operator by operator; and the sequential bound by the cover, the parallel one by
  /// `in_parallel`.
  Bounds unfused{};
  Bounds fused{};
  /// Layers that no call does alone, but one of the cover: in the bound with fusion only.
  std::vector<std::size_t> only_fused{};
  /// Layers without a time in either: both bounds are partial.
  std::vector<std::size_t> in_neither{};
  std::vector<FusionRow> rows{};
  /// In the order in which the graph first has them.
  std::vector<PatternRow> patterns{};

  bool has_other_fusions_in_parallel() const { return in_parallel != cover.pieces; }
  double profit_seconds() const { return unfused.sequential.seconds - fused.sequential.seconds; }
  /// A fusion was not measured: another choice may be better.
  bool lacks_fusions() const;
  bool is_partial() const { return is_partial_unfused() || lacks_fusions(); }
  bool is_partial_unfused() const { return !in_neither.empty() || !only_fused.empty(); }
  bool is_partial_fused() const { return !in_neither.empty() || lacks_fusions(); }
};

FusionReport make_fusion_report(const Graph& graph, const MeasurementSet& measurements,
                                const MeasurementFilter& filter, Movement movement);

/// How the fusions of the parallel bound differ from those of the cover, for people.
std::string parallel_fusions_text(const FusionReport& report);

/// The same for text, JSON, CSV and HTML.
Section fusion_section(const FusionReport& report);

}  // namespace benanza::analysis
