#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/model/fusion.h"
#include "analysis/model/plan.h"
#include "analysis/model/selection.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {
namespace {

/// Equal for calls that have their tensors in the same formats, and take strides or do not.
std::string formats_of(const Measurement& call) {
  const std::string strides =
      call.strided_axes > 0 ? fmt::format(" in {} strides", call.strided_axes) : "";
  if (call.operand_formats.empty() && call.result_formats.empty()) {
    return fmt::format("{}{}", to_string(call.variant.layout), strides);
  }
  return fmt::format("{}>{}{}", fmt::join(call.operand_formats, ","),
                     fmt::join(call.result_formats, ","), strides);
}

/// The fastest call of each choice of formats, and of those that take strides, that does the same
/// as `call`.
std::vector<const Measurement*> fastest_in_formats(const Measurement& call,
                                                   const MeasurementSet& measurements,
                                                   const MeasurementFilter& filter) {
  std::map<std::string, const Measurement*> fastest;
  for (const Measurement& one : measurements.find(call.variant.key)) {
    if (!is_candidate(filter, call.variant.precision, one)) continue;
    const Measurement*& best = fastest.try_emplace(formats_of(one), &one).first->second;
    if (one.seconds() < best->seconds()) best = &one;
  }
  std::vector<const Measurement*> candidates;
  for (const auto& [formats, one] : fastest) candidates.push_back(one);
  return candidates;
}

/// The calls that the policy chooses in each layout and that do the same as `call`.
std::vector<const Measurement*> candidates_for(const Measurement& call,
                                               const MeasurementSet& measurements,
                                               MeasurementFilter filter) {
  std::vector<const Measurement*> candidates;
  if (filter.policy == AlgorithmPolicy::fastest) {
    candidates = fastest_in_formats(call, measurements, filter);
    if (candidates.empty()) candidates.push_back(&call);
    return candidates;
  }
  const std::optional<Layout> asked = filter.layout;
  for (const Layout layout : {Layout::plain, Layout::nchw, Layout::nhwc, Layout::any}) {
    if (asked && layout != *asked && layout != Layout::plain) continue;
    filter.layout = layout;
    const Selected found =
        select_measurement(call.variant.key, measurements, filter, call.variant.precision);
    // Calls without a layout are admitted with every layout.
    if (found.best != nullptr && !std::ranges::count(candidates, found.best)) {
      candidates.push_back(found.best);
    }
  }
  if (candidates.empty()) candidates.push_back(&call);
  return candidates;
}

/// The fusions with all the calls that a plan makes for them: those that only move elements, too.
std::vector<Fusion> planned_fusions(const Graph& graph, const DataFlow& flow) {
  std::vector<Fusion> fusions = graph.fusions;
  for (std::size_t index = 0; index < fusions.size(); ++index) {
    if (index >= flow.fusions.size() || flow.fusions[index].calls.size() < 2) continue;
    const std::vector<FlowCall>& calls = flow.fusions[index].calls;
    fusions[index].problem = calls.front().problem;
    fusions[index].also.clear();
    for (std::size_t call = 1; call < calls.size(); ++call) {
      fusions[index].also.push_back(calls[call].problem);
    }
  }
  return fusions;
}

/// What the calls of fusion `index` work on is known.
bool is_known(const Fusion& fusion, std::size_t index, const DataFlow& flow) {
  if (index >= flow.fusions.size()) return false;
  const std::vector<FlowCall>& calls = flow.fusions[index].calls;
  return calls.size() == 1 + fusion.also.size() &&
         std::ranges::none_of(calls, [](const FlowCall& call) { return call.proxy; });
}

/// A call stands for its work: it does not make the layer's result.
bool has_proxies(const FlowLayer& layer) {
  return std::ranges::any_of(layer.calls,
                             [](const FlowCall& call) { return call.proxy && !call.gather; });
}

/// Without the times of layers that cannot run as their own calls: a fusion does them if there is
/// one.
std::vector<LayerTime> runnable(std::vector<LayerTime> layers, const DataFlow& flow) {
  for (std::size_t layer = 0; layer < layers.size() && layer < flow.layers.size(); ++layer) {
    if (has_proxies(flow.layers[layer])) layers[layer] = {.status = LayerStatus::unsupported};
  }
  return layers;
}

class Search {
 public:
  Search(const Graph& graph, const DataFlow& flow)
      : graph_(graph), flow_(flow), found_(flow.layers.size(), false) {}

  std::vector<bool> run() {
    for (std::size_t layer = 0; layer < found_.size(); ++layer) found_[layer] = prepares(layer);
    return found_;
  }

 private:
  bool prepares(std::size_t index) const {
    const FlowLayer& layer = flow_.layers[index];
    if (layer.outputs.empty()) return false;
    if (layer.view_of) return is_prepared(*layer.view_of);
    if (layer.calls.empty() || graph_.layers[index].cost == Cost::free) return false;
    const bool makes_floats = std::ranges::any_of(
        layer.outputs, [&](std::size_t made) { return is_float(flow_.tensors[made].type); });
    bool any = false;
    for (const FlowCall& call : layer.calls) {
      if (call.gather && makes_floats) return false;
      for (const FlowOperand& operand : call.operands) {
        if (operand.kind != FlowOperand::Kind::tensor) continue;
        const FlowTensor& read = flow_.tensors[operand.index];
        const bool is_number = read.shape && element_count(*read.shape) == 1;
        if (read.constant ? makes_floats && !is_number : !is_prepared(operand.index)) return false;
        any = any || !read.constant;
      }
    }
    return any;
  }

  bool is_prepared(std::size_t tensor) const {
    const FlowTensor& one = flow_.tensors[tensor];
    if (one.layer) return found_[*one.layer];
    return !one.constant && (is_index_type(one.type) || one.type == "bool");
  }

  const Graph& graph_;
  const DataFlow& flow_;
  std::vector<bool> found_;
};

}  // namespace

std::vector<PlannedWork> planned_work(const Graph& graph, const DataFlow& flow,
                                      const MeasurementSet& measurements,
                                      const MeasurementFilter& filter, bool fused) {
  MeasurementFilter own = filter;
  own.fused_calls = false;
  own.inner_moves = true;
  own.overwrites_residual = false;
  // A layer as one call is a fusion like others: what it works on may not be known.
  Graph apart = graph;
  for (Fusion& fusion : apart.fusions) fusion.whole = false;
  const std::vector<LayerTime> layers = layer_times(apart, measurements, own);
  const std::vector<bool> prepared = prepared_layers(graph, flow);
  own.fused_calls = true;
  apart.fusions = planned_fusions(graph, flow);
  const std::vector<LayerTime> fusions = fusion_times(apart, measurements, own);
  std::vector<bool> allowed(graph.fusions.size());
  for (std::size_t index = 0; index < allowed.size(); ++index) {
    const Fusion& fusion = apart.fusions[index];
    allowed[index] = is_known(fusion, index, flow) &&
                     (fused || fusion.whole || fusion.layers.size() == 1) &&
                     std::ranges::none_of(fusion.layers, [&](auto one) { return prepared[one]; });
  }
  const Cover cover =
      fusion_cover(graph, runnable(layers, flow), fusions, Movement::include, allowed);
  std::vector<PlannedWork> work;
  std::vector<bool> done(graph.layers.size(), false);
  for (const std::size_t piece : cover.pieces) {
    for (const std::size_t layer : graph.fusions[piece].layers) done[layer] = true;
    work.push_back(
        {.layers = graph.fusions[piece].layers, .fusion = piece, .time = fusions[piece]});
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (!done[layer]) work.push_back({.layers = {layer}, .time = layers[layer]});
  }
  for (PlannedWork& one : work) {
    for (const Measurement* const call : one.time.calls) {
      one.candidates.push_back(candidates_for(*call, measurements, own));
    }
  }
  std::ranges::stable_sort(
      work, [](const auto& a, const auto& b) { return a.layers.back() < b.layers.back(); });
  return work;
}

std::vector<bool> prepared_layers(const Graph& graph, const DataFlow& flow) {
  return Search(graph, flow).run();
}

}  // namespace benanza::analysis
