#pragma once

#include <string>
#include <vector>

#include "analysis/model/fusion.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// Why a fusion is or is not part of the cheapest cover.
///   used          this call does its layers
///   in_bound      one call for a layer of several calls, or for an operator that the exporter
///                 decomposed: the bound without fusion already uses it
///   outdone       it saves time, or its layers have no time alone, but the cover does not use it
///   does_not_pay  its layers alone take no longer
///   unsupported   the library refuses the problem at this precision
///   missing       it was not measured
enum class Verdict { used, in_bound, outdone, does_not_pay, unsupported, missing };
std::string_view to_string(Verdict verdict);

/// One fusion of the graph, in the order of the graph's fusions.
struct FusionRow {
  Verdict verdict = Verdict::missing;
  /// Seconds of the fused call; empty if unknown.
  std::optional<double> seconds{};
  /// Seconds of its layers alone; empty if one of them has no time of its own: then the saving is
  /// unknown, and the bound without the fusion lacks that layer.
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
  /// Saved by the used fusions, against their layers alone.
  double profit_seconds = 0;
  /// Saved if this were the only pattern.
  double profit_alone_seconds = 0;
  /// Saved by one call for a layer of several calls or for a decomposed operator: already part of
  /// the bound without fusion.
  double in_bound_seconds = 0;
};

/// What a framework fuses already.
struct FrameworkFusions {
  std::string framework{};
  /// Per fusion of the graph: fused_by_framework().
  std::vector<bool> fused{};
};

/// The answer of `fusion` for one model, batch and precision.
struct FusionReport {
  const Graph* graph = nullptr;
  MeasurementFilter filter{};
  Movement movement = Movement::exclude;
  /// Times of the bound without fusion: each operator that the exporter decomposed, as one call or
  /// layer by layer.
  OperatorTimes operators{};
  /// Per layer alone, and per fusion of the graph.
  std::vector<LayerTime> layers{};
  std::vector<LayerTime> fusions{};
  Cover cover{};
  /// The fusions used in the parallel bound: parallel_fusions().
  std::vector<std::size_t> in_parallel{};
  /// The bounds without fusion; with fusion, the sequential one uses the cover, the parallel one
  /// `in_parallel`.
  Bounds unfused{};
  Bounds fused{};
  /// Layers that only a fusion of the cover does: in the bound with fusion only.
  std::vector<std::size_t> only_fused{};
  /// Layers without a time in either: both bounds are partial.
  std::vector<std::size_t> in_neither{};
  std::vector<FusionRow> rows{};
  /// In order of first appearance in the graph.
  std::vector<PatternRow> patterns{};
  /// If there is a profile.
  std::optional<FrameworkFusions> framework{};

  bool has_other_fusions_in_parallel() const { return in_parallel != cover.pieces; }
  double profit_seconds() const { return unfused.sequential.seconds - fused.sequential.seconds; }
  /// Of the used fusions, those that the framework has, and what they save.
  std::size_t fused_by_framework() const;
  double profit_of_framework_seconds() const;
  /// True if a fusion was not measured: another choice may be better.
  bool lacks_fusions() const;
  bool is_partial() const { return is_partial_unfused() || lacks_fusions(); }
  bool is_partial_unfused() const { return !in_neither.empty() || !only_fused.empty(); }
  bool is_partial_fused() const { return !in_neither.empty() || lacks_fusions(); }
};

FusionReport make_fusion_report(const Graph& graph, const MeasurementSet& measurements,
                                const MeasurementFilter& filter, Movement movement);

/// Text on how the fusions of the parallel bound differ from those of the cover.
std::string parallel_fusions_text(const FusionReport& report);

/// The report as text, JSON, CSV and HTML.
Section fusion_section(const FusionReport& report);

}  // namespace benanza::analysis
