#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// A change of a tensor's layout that a plan makes. `call` is null where it costs nothing.
struct PlannedTransform {
  const LayoutTransform* transform = nullptr;
  Layout to = Layout::nhwc;
  const Measurement* call = nullptr;
};

/// A layout for every layer, and the changes between them. The model's inputs and results are nchw.
struct LayoutPlan {
  /// nchw or nhwc, per layer.
  std::vector<Layout> layouts{};
  /// Per layer, in its layout.
  std::vector<LayerTime> times{};
  std::vector<PlannedTransform> transforms{};
  double layer_seconds = 0;
  double transform_seconds = 0;
  double seconds() const { return layer_seconds + transform_seconds; }
  /// Of the critical path, where a layer takes its own time and that of the changes of its tensors.
  double parallel_seconds = 0;
  /// Layers without a time in either layout: the plan is partial.
  std::vector<std::size_t> unknown{};
  /// Layers that have a time in the other layout only: nothing can run this plan.
  std::vector<std::size_t> impossible{};
  /// Changes that cannot be avoided, but were not measured: the plan is partial.
  std::vector<std::string> unmeasured{};
};

struct LayoutPlans {
  /// The model, with operators of several layers that are done by one call as one layer each: what
  /// the indices below are of, and where transforms point to.
  std::shared_ptr<const Graph> graph{};
  /// Every layer in nchw, and no transforms.
  LayoutPlan nchw{};
  /// Every layer in nhwc that can be.
  LayoutPlan nhwc{};
  /// The least sum of layers and transforms.
  LayoutPlan best{};
};

/// Where a layer runs in nchw or nhwc: where a call was measured in that layout. Calls without a
/// channel order (`plain`) work on nchw. A free layer that keeps its tensor's extents (Identity,
/// Dropout) works on either, another one (Flatten) on nchw. A tensor is changed once for all its
/// readers. Tensors whose transforms the graph does not name or that were not measured are not
/// changed. The best plan is optimal for any graph: two layouts and costs of changing between them
/// are a minimum cut; on a chain that is the shortest path over layers and layouts. An operator
/// that the exporter took apart is one layer where one call does it fastest, unless that call takes
/// away a layout that its layers have. Calls in layout `any` have no part in it: what changing to
/// it costs is not measured.
LayoutPlans layout_plans(const Graph& graph, const MeasurementSet& measurements,
                         const MeasurementFilter& filter, Movement movement);

}  // namespace benanza::analysis
