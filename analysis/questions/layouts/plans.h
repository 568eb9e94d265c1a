#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "analysis/questions/common/subject.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Assigns things to one of two sides at the least cost: each thing has a cost for either side, and
/// some pairs have a cost if they are on different sides. Costs are integers.
class MinCut {
 public:
  /// The cost of a forbidden choice. The sum of all other costs must be less.
  static constexpr std::int64_t forbidden = std::int64_t{1} << 50;

  /// Adds a thing with its cost on either side. Returns its index: 0, 1, ...
  std::size_t add(std::int64_t cost_left, std::int64_t cost_right);
  /// Adds a cost for `a` being left while `b` is right.
  void add_edge(std::size_t a, std::size_t b, std::int64_t cost);

  /// Returns true for the things on the right in a cheapest assignment: the minimum cut of the
  /// graph of costs, which equals its maximum flow (Ford and Fulkerson 1956).
  std::vector<bool> solve() const;

 private:
  struct Pair {
    std::size_t a;
    std::size_t b;
    std::int64_t cost;
  };
  struct Costs {
    std::int64_t left;
    std::int64_t right;
  };
  std::vector<Costs> things_;
  std::vector<Pair> pairs_;
};

/// A layout transform of a tensor that a plan makes. `call` is null if it costs nothing.
struct PlannedTransform {
  const LayoutTransform* transform = nullptr;
  Layout to = Layout::nhwc;
  const Measurement* call = nullptr;
};

/// A layout for every layer, and the transforms between them. The model's inputs and results are
/// nchw.
struct LayoutPlan {
  /// nchw or nhwc, per layer.
  std::vector<Layout> layouts{};
  /// Per layer, in its layout.
  std::vector<LayerTime> times{};
  std::vector<PlannedTransform> transforms{};
  double layer_seconds = 0;
  double transform_seconds = 0;
  double seconds() const { return layer_seconds + transform_seconds; }
  /// Length of the critical path; a layer takes its own time plus the transforms of its tensors.
  double parallel_seconds = 0;
  /// Layers without a time in either layout: the plan is partial.
  std::vector<std::size_t> unknown{};
  /// Layers that have a time only in the other layout: nothing can run this plan.
  std::vector<std::size_t> impossible{};
  /// Transforms that cannot be avoided but were not measured: the plan is partial.
  std::vector<std::string> unmeasured{};
};

struct LayoutPlans {
  /// The model, with operators of several layers that one call does merged into one layer each. The
  /// plans' layer indices and transform pointers refer to it.
  std::shared_ptr<const Graph> graph{};
  /// Every layer in nchw, and no transforms.
  LayoutPlan nchw{};
  /// Every layer in nhwc that can run in it.
  LayoutPlan nhwc{};
  /// The least sum of layers and transforms.
  LayoutPlan best{};
};

/// A layer can run in nchw or nhwc if a call was measured in that layout. Calls without a channel
/// order (`plain`) work on nchw. A free layer that keeps its tensor's extents (Identity, Dropout)
/// works on either; any other free layer (Flatten) works on nchw. A tensor is transformed once for
/// all its readers. Transforms that the graph does not name or that were not measured are avoided
/// if possible. The best plan is optimal for any graph: choosing between two layouts with transform
/// costs is a minimum cut (on a chain, the shortest path over layers and layouts). An operator that
/// the exporter decomposed is one layer if one call does it fastest, unless that call lacks a
/// layout that its layers have. Calls in layout `any` are ignored, because transforms to it are not
/// measured.
LayoutPlans layout_plans(const Graph& graph, const MeasurementSet& measurements,
                         const MeasurementFilter& filter, Movement movement);

/// The bound in nchw, in nhwc, and in the best mix of both. Throws Error if the filter names a
/// layout.
Section layouts_section(const Subject& subject);

}  // namespace benanza::analysis
