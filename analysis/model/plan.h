#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/model/formats.h"
#include "analysis/model/layer_time.h"
#include "core/graph_file/data_flow.h"
#include "core/graph_file/graph.h"
#include "core/plan_file/plan.h"
#include "core/problem/ops/copy.h"

namespace benanza::analysis {

/// How some layers are done.
struct PlannedWork {
  /// Ascending.
  std::vector<std::size_t> layers{};
  /// Index into graph.fusions; empty: by the layer's own problems.
  std::optional<std::size_t> fusion{};
  LayerTime time{};
  /// For each call of `time`, the fastest one of each choice of formats.
  std::vector<std::vector<const Measurement*>> candidates{};
};

/// What a conversion between two formats takes: as measured, or else `overhead_seconds`, and
/// reading and writing every byte.
struct ConversionCosts {
  double overhead_seconds = 0;
  /// Empty: unknown, and not counted.
  std::optional<double> bytes_per_second{};
  /// Seconds of a copy that a suite measured; null or no value: unknown.
  std::function<std::optional<double>(const Copy&)> copy_seconds{};
  /// Those of earlier plans.
  MeasuredConversions measured{};
};

/// The cheapest way to do every layer of `graph`, conversions between formats left out, with
/// fusions or, if not `fused`, with those that are one operator of the model. Only fusions whose
/// operands `flow` knows. In an order in which each can run after those before it.
std::vector<PlannedWork> planned_work(const Graph& graph, const DataFlow& flow,
                                      const MeasurementSet& measurements,
                                      const MeasurementFilter& filter, bool fused);

/// Turns it into calls and places, with the calls that are the best together with the conversions
/// between their formats. Throws Error, one line, if the graph and its flow differ, for a
/// layer that has no time, whose calls do not make its result, or that works on what is no float,
/// naming the first few.
Plan make_plan(const Graph& graph, const DataFlow& flow, const std::vector<PlannedWork>& work,
               Precision precision, const ConversionCosts& costs);

/// The layers that prepare positions, lengths and masks: what they read are integers and truth
/// values of the caller's, each other's results, and constants; they make integers, truth values
/// or, with constants of one element alone, floats. No library computes integers; a plan leaves
/// these layers to its caller.
std::vector<bool> prepared_layers(const Graph& graph, const DataFlow& flow);

}  // namespace benanza::analysis
