#include "analysis/questions/layouts/plans.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>

#include "analysis/model/fusion.h"
#include "analysis/model/selection.h"
#include "analysis/model/whole.h"

namespace benanza::analysis {
namespace {

using boost::property;
using Edge =
    boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>::edge_descriptor;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    property<boost::vertex_color_t, boost::default_color_type,
             property<boost::vertex_distance_t, long, property<boost::vertex_predecessor_t, Edge>>>,
    property<boost::edge_capacity_t, std::int64_t,
             property<boost::edge_residual_capacity_t, std::int64_t,
                      property<boost::edge_reverse_t, Edge>>>>;

void add_edge(Network& network, std::size_t from, std::size_t to, std::int64_t capacity) {
  if (capacity <= 0) return;
  const Edge there = boost::add_edge(from, to, network).first;
  const Edge back = boost::add_edge(to, from, network).first;
  boost::put(boost::edge_capacity, network, there, capacity);
  boost::put(boost::edge_capacity, network, back, 0);
  boost::put(boost::edge_reverse, network, there, back);
  boost::put(boost::edge_reverse, network, back, there);
}

/// Cost of an unmeasured transform: taken only if nothing else is possible.
constexpr std::int64_t forbidden = MinCut::forbidden;
/// Cost of a layer in a layout in which it has no time.
constexpr std::int64_t impossible = 4 * forbidden;
constexpr Layout both_layouts[] = {Layout::nchw, Layout::nhwc};

/// Whole picoseconds, so that costs are compared exactly.
std::int64_t picoseconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * 1e12));
}

/// Cost of transforming a tensor; empty if it cannot be transformed.
struct Change {
  std::optional<double> seconds{};
  const Measurement* call = nullptr;
};

std::int64_t cost(const Change& change) {
  return change.seconds ? picoseconds(*change.seconds) : forbidden;
}

/// The problem to solve: times of the layers in both layouts, and costs of transforms.
struct Case {
  /// [0] nchw, [1] nhwc.
  std::vector<LayerTime> times[2];
  std::vector<bool> allowed[2];
  /// Per entry of graph.transforms.
  std::vector<Change> to_nhwc;
  std::vector<Change> to_nchw;
};

Change change_by(const std::optional<std::string>& key, const MeasurementSet& measurements,
                 const MeasurementFilter& filter) {
  if (!key) return {.seconds = 0, .call = nullptr};
  MeasurementFilter plain = filter;
  plain.layout.reset();
  const Measurement* call =
      select_measurement(*key, measurements, plain, copied_as(filter.precision)).best;
  if (call == nullptr) return {};
  return {.seconds = call->seconds(), .call = call};
}

bool keeps_extents(const Graph& graph, const Layer& layer) {
  if (layer.inputs.size() != 1 || layer.outputs.empty()) return false;
  const Layer& input = graph.layers[layer.inputs.front()];
  return !input.outputs.empty() && layer.outputs.front().shape == input.outputs.front().shape;
}

/// True if `layer` can run in nhwc.
bool allows_nhwc(const Graph& graph, const Layer& layer, const LayerTime& nhwc) {
  if (layer.cost == Cost::free) return keeps_extents(graph, layer);
  return std::ranges::any_of(
      nhwc.calls, [](const Measurement* call) { return call->variant.layout == Layout::nhwc; });
}

Case make_case(const Graph& graph, const MeasurementSet& measurements,
               const MeasurementFilter& filter) {
  Case given;
  for (const std::size_t side : {0, 1}) {
    MeasurementFilter in_layout = filter;
    in_layout.layout = both_layouts[side];
    given.times[side] = layer_times(graph, measurements, in_layout);
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const bool nhwc = allows_nhwc(graph, graph.layers[layer], given.times[1][layer]);
    const bool nchw = given.times[0][layer].seconds.has_value();
    given.allowed[1].push_back(nhwc);
    // A layer without a time in either layout stays in nchw.
    given.allowed[0].push_back(nchw || !nhwc);
  }
  for (const LayoutTransform& transform : graph.transforms) {
    given.to_nhwc.push_back(change_by(transform.to_nhwc, measurements, filter));
    given.to_nchw.push_back(change_by(transform.to_nchw, measurements, filter));
  }
  return given;
}

/// Layers that do not depend on the model's inputs: weights are reordered when the model is loaded.
std::vector<bool> constant_layers(const Graph& graph) {
  std::vector<bool> constant(graph.layers.size());
  for (const std::size_t layer : topological_order(graph.layers)) {
    const auto& inputs = graph.layers[layer].inputs;
    constant[layer] = graph.layers[layer].cost == Cost::free &&
                      std::ranges::all_of(inputs, [&](std::size_t i) { return constant[i]; });
  }
  return constant;
}

/// Data flow between layers, without weights.
struct Flow {
  std::vector<bool> constant;
  std::vector<std::vector<std::size_t>> readers;
  /// Non-constant layers that read only the model's inputs (and constants).
  std::vector<bool> first;
};

Flow flow_of(const Graph& graph) {
  Flow flow{.constant = constant_layers(graph), .readers = {}, .first = {}};
  flow.readers.resize(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    bool first = !flow.constant[layer];
    for (const std::size_t input : graph.layers[layer].inputs) {
      if (flow.constant[input]) continue;
      flow.readers[input].push_back(layer);
      first = false;
    }
    flow.first.push_back(first);
  }
  return flow;
}

/// Cost of transforming a layer's outputs (`of_input`: its inputs) in one direction; `forbidden` if
/// the graph names no transform.
std::int64_t tensor_cost(const Graph& graph, const std::vector<Change>& changes, std::size_t layer,
                         bool of_input) {
  std::int64_t sum = 0;
  bool any = false;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (graph.transforms[i].layer != layer || graph.transforms[i].of_input != of_input) continue;
    any = true;
    sum = std::min(forbidden, sum + cost(changes[i]));
  }
  return any ? sum : forbidden;
}

/// True for layers in nhwc.
std::vector<bool> cheapest_sides(const Graph& graph, const Case& given, const Flow& flow,
                                 Movement movement, std::int64_t aversion_to_nchw = 0) {
  MinCut sides;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    std::int64_t costs[2];
    for (const std::size_t side : {0, 1}) {
      const LayerTime& time = given.times[side][layer];
      costs[side] = is_counted(time, movement) ? picoseconds(*time.seconds) : 0;
      if (!given.allowed[side][layer]) costs[side] = impossible;
    }
    if (costs[1] < impossible) costs[0] = std::min(impossible, costs[0] + aversion_to_nchw);
    if (flow.first[layer] && costs[1] < impossible) {
      // The model's inputs are nchw, so the layer needs their transforms to run in nhwc.
      const std::int64_t change = tensor_cost(graph, given.to_nhwc, layer, true);
      costs[1] = std::min(impossible, costs[1] + change);
    }
    sides.add(costs[0], costs[1]);
  }
  const auto& readers = flow.readers;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (flow.constant[layer]) continue;
    const std::int64_t to_nhwc = tensor_cost(graph, given.to_nhwc, layer, false);
    const std::int64_t to_nchw = tensor_cost(graph, given.to_nchw, layer, false);
    // A tensor is transformed once, no matter how many readers need the other layout.
    const std::size_t as_nhwc = sides.add(0, 0);
    sides.add_edge(layer, as_nhwc, to_nhwc);
    for (const std::size_t reader : readers[layer]) sides.add_edge(as_nhwc, reader, impossible);
    const std::size_t as_nchw = sides.add(0, readers[layer].empty() ? impossible : 0);
    sides.add_edge(as_nchw, layer, to_nchw);
    for (const std::size_t reader : readers[layer]) sides.add_edge(reader, as_nchw, impossible);
  }
  std::vector<bool> right = sides.solve();
  right.resize(graph.layers.size());
  return right;
}

/// The plan, with its costs, for the layers in these layouts.
LayoutPlan plan(const Graph& graph, const Case& given, const Flow& flow,
                const std::vector<bool>& in_nhwc, Movement movement) {
  LayoutPlan plan;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::size_t side = in_nhwc[layer] ? 1 : 0;
    plan.layouts.push_back(both_layouts[side]);
    plan.times.push_back(given.times[side][layer]);
    if (lacks_time(plan.times.back(), movement)) {
      const bool elsewhere = given.times[1 - side][layer].seconds.has_value();
      (elsewhere ? plan.impossible : plan.unknown).push_back(layer);
    }
  }
  std::vector<double> weights = counted_seconds(plan.times, movement);
  plan.layer_seconds = sequential_seconds(weights);
  const auto& readers = flow.readers;
  for (std::size_t i = 0; i < graph.transforms.size(); ++i) {
    const LayoutTransform& transform = graph.transforms[i];
    const std::size_t layer = transform.layer;
    const auto change = [&](Layout to, const Change& how) {
      if (!how.seconds) {
        plan.unmeasured.push_back(*(to == Layout::nhwc ? transform.to_nhwc : transform.to_nchw));
      }
      if (how.call == nullptr) return;
      plan.transforms.push_back({.transform = &transform, .to = to, .call = how.call});
      plan.transform_seconds += *how.seconds;
      weights[layer] += *how.seconds;
    };
    if (transform.of_input) {
      if (in_nhwc[layer]) change(Layout::nhwc, given.to_nhwc[i]);
      continue;
    }
    const auto& reading = readers[layer];
    const bool other = std::ranges::any_of(
        reading, [&](std::size_t reader) { return in_nhwc[reader] != in_nhwc[layer]; });
    if (in_nhwc[layer] && (other || reading.empty())) change(Layout::nchw, given.to_nchw[i]);
    if (!in_nhwc[layer] && other) change(Layout::nhwc, given.to_nhwc[i]);
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const auto& reading = readers[layer];
    const bool other = std::ranges::any_of(
        reading, [&](std::size_t reader) { return in_nhwc[reader] != in_nhwc[layer]; });
    const bool named = std::ranges::any_of(graph.transforms, [&](const LayoutTransform& transform) {
      return transform.layer == layer && !transform.of_input;
    });
    if (other && !named)
      plan.unmeasured.push_back("of what " + graph.layers[layer].name + " writes");
  }
  plan.parallel_seconds = critical_path(graph.layers, weights).seconds;
  return plan;
}

/// `graph` with each operator that one call does merged into one layer.
Graph with_operators(const Graph& graph, const MeasurementSet& measurements,
                     const MeasurementFilter& filter, Movement movement) {
  std::vector<bool> allowed(graph.fusions.size(), true);
  for (const Layout layout : both_layouts) {
    MeasurementFilter in_layout = filter;
    in_layout.layout = layout;
    const OperatorTimes operators = operators_of(graph, measurements, in_layout, movement);
    for (const WholeChoice& whole : operators.wholes) {
      if (whole.apart_seconds && !whole.time.seconds) allowed[whole.fusion] = false;
    }
  }
  const OperatorTimes operators = operators_of(graph, measurements, filter, movement, allowed);
  const std::vector<std::size_t> used = operators.used();
  if (used.empty()) return graph;
  FusedGraph fused =
      fused_graph(graph, operators.layers, std::vector<LayerTime>(graph.fusions.size()), used);
  std::vector<bool> taken(graph.layers.size());
  for (const std::size_t fusion : used) {
    const Fusion& whole = graph.fusions[fusion];
    const std::size_t index = fused.place[whole.layers.back()];
    for (const std::size_t layer : whole.layers) taken[layer] = true;
    fused.graph.layers[index].problems.clear();
    fused.graph.fusions.push_back(whole);
    fused.graph.fusions.back().layers = {index};
  }
  // Fusions of a single layer.
  for (const Fusion& fusion : graph.fusions) {
    if (fusion.layers.size() != 1 || taken[fusion.layers.front()]) continue;
    fused.graph.fusions.push_back(fusion);
    fused.graph.fusions.back().layers = {fused.place[fusion.layers.front()]};
  }
  for (LayoutTransform transform : graph.transforms) {
    const std::size_t layer = transform.layer;
    const auto inside = [&](std::size_t index) {
      const std::vector<std::size_t>& members = graph.fusions[index].layers;
      return taken[layer] && std::ranges::find(members, layer) != members.end() &&
             members.back() != layer;
    };
    // Tensors inside the operator have no layout.
    if (!transform.of_input && std::ranges::any_of(used, inside)) continue;
    transform.layer = fused.place[layer];
    fused.graph.transforms.push_back(std::move(transform));
  }
  return std::move(fused.graph);
}

}  // namespace

std::size_t MinCut::add(std::int64_t cost_left, std::int64_t cost_right) {
  things_.push_back({cost_left, cost_right});
  return things_.size() - 1;
}

void MinCut::add_edge(std::size_t a, std::size_t b, std::int64_t cost) {
  pairs_.push_back({a, b, cost});
}

std::vector<bool> MinCut::solve() const {
  // Being right cuts the edge from the source, being left the edge to the sink.
  const std::size_t source = things_.size();
  const std::size_t sink = source + 1;
  Network network(sink + 1);
  for (std::size_t thing = 0; thing < things_.size(); ++thing) {
    analysis::add_edge(network, source, thing, things_[thing].right);
    analysis::add_edge(network, thing, sink, things_[thing].left);
  }
  for (const Pair& pair : pairs_) analysis::add_edge(network, pair.a, pair.b, pair.cost);
  boost::boykov_kolmogorov_max_flow(network, source, sink);
  // Those that the source still reaches are left.
  std::vector<bool> right;
  for (std::size_t thing = 0; thing < things_.size(); ++thing) {
    right.push_back(boost::get(boost::vertex_color, network, thing) != boost::black_color);
  }
  return right;
}

LayoutPlans layout_plans(const Graph& model, const MeasurementSet& measurements,
                         const MeasurementFilter& filter, Movement movement) {
  LayoutPlans plans{.graph = std::make_shared<const Graph>(
                        with_operators(model, measurements, filter, movement))};
  const Graph& graph = *plans.graph;
  const Case given = make_case(graph, measurements, filter);
  const Flow flow = flow_of(graph);
  plans.best = plan(graph, given, flow, cheapest_sides(graph, given, flow, movement), movement);
  plans.nchw = plan(graph, given, flow, std::vector<bool>(graph.layers.size()), movement);
  // More than the time of any model, so that it outweighs any transform, but less than `forbidden`.
  constexpr std::int64_t aversion = std::int64_t{1} << 38;
  plans.nhwc =
      plan(graph, given, flow, cheapest_sides(graph, given, flow, movement, aversion), movement);
  return plans;
}

}  // namespace benanza::analysis
