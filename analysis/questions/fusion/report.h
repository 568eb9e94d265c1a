#pragma once

#include <string>
#include <vector>

#include "analysis/model/fusion.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// Why a fusion is part of the cheapest cover or not.
///   used          its layers are done by this call
///   in_bound      one layer's calls in one, which the bound without fusions takes already
///   outdone       it saves time, but not beside the fusions that are used
///   does_not_pay  its layers alone take no longer
///   unsupported   the library refuses the problem at this precision
///   missing       it was not measured
///   incomparable  a layer of it has no time of its own: what it saves is unknown
enum class Verdict { used, in_bound, outdone, does_not_pay, unsupported, missing, incomparable };
std::string_view to_string(Verdict verdict);

/// One fusion of the graph, in the order of the graph's fusions.
struct FusionRow {
  Verdict verdict = Verdict::missing;
  /// Of the fused call; empty where unknown.
  std::optional<double> seconds{};
  /// Of its layers alone; empty where unknown.
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
  /// Saved by those that are used.
  double profit_seconds = 0;
  /// Saved if there were no other pattern.
  double profit_alone_seconds = 0;
  /// Saved inside layers of several calls: part of the bound without fusions already.
  double in_bound_seconds = 0;
};

/// The answer of `fusion` for one model, batch and precision.
struct FusionReport {
  const Graph* graph = nullptr;
  MeasurementFilter filter{};
  Movement movement = Movement::exclude;
  /// Per layer and per fusion of the graph.
  std::vector<LayerTime> layers{};
  std::vector<LayerTime> fusions{};
  Cover cover{};
  /// The fusions of the parallel bound: parallel_fusions().
  std::vector<std::size_t> in_parallel{};
  /// Layer by layer; and the sequential bound by the cover, the parallel one by `in_parallel`.
  Bounds unfused{};
  Bounds fused{};
  std::vector<FusionRow> rows{};
  /// In the order in which the graph first has them.
  std::vector<PatternRow> patterns{};

  bool has_other_fusions_in_parallel() const { return in_parallel != cover.pieces; }
  double profit_seconds() const { return unfused.sequential.seconds - fused.sequential.seconds; }
  /// A layer or a fusion was not measured.
  bool is_partial() const;
};

FusionReport make_fusion_report(const Graph& graph, const MeasurementSet& measurements,
                                const MeasurementFilter& filter, Movement movement);

/// How the fusions of the parallel bound differ from those of the cover, for people.
std::string parallel_fusions_text(const FusionReport& report);

/// The same for text, JSON, CSV and HTML.
Section fusion_section(const FusionReport& report);

}  // namespace benanza::analysis
