#pragma once

#include <string>

#include "analysis/questions/fusion/report.h"
#include "analysis/tests/build.h"

/// Graphs with fusions, and the times of their layers alone.
namespace benanza::test {

using namespace analysis;

/// conv -> bn -> relu: 10, 2 and 2 ms, followed by a layer of 1 ms.
inline Graph chain() {
  return {.model = "chain",
          .batch = 1,
          .layers = {layer("conv", {}), layer("bn", {0}), layer("relu", {1}), layer("pool", {2})},
          .fusions = {{.pattern = "conv_bn", .layers = {0, 1}, .problem = "relu/conv_bn"},
                      {.pattern = "conv_bn_relu", .layers = {0, 1, 2}, .problem = "relu/cbr"}}};
}

inline MeasurementSet chain_alone() {
  return test::steady({{"conv", 10 * ms}, {"bn", 2 * ms}, {"relu", 2 * ms}, {"pool", 1 * ms}});
}

inline void add(MeasurementSet& set, const std::string& problem, double seconds,
                const std::string& variant = "/fp32/nchw/onednn/jit") {
  set.add(measured(problem + variant, five(seconds)));
}

inline FusionReport report_of(const Graph& graph, const MeasurementSet& set,
                              const MeasurementFilter& filter = {}) {
  return make_fusion_report(graph, set, filter, Movement::exclude);
}

/// A residual block: left and right (10 and 6 ms) meet in sum (3 ms), followed by relu (1 ms).
/// Either branch can be fused with sum and relu.
inline Graph diamond() {
  return {.model = "diamond",
          .batch = 1,
          .layers = {layer("start", {}), layer("left", {0}), layer("right", {0}),
                     layer("sum", {1, 2}), layer("relu", {3})},
          .fusions = {
              {.pattern = "conv_add_relu", .layers = {1, 3, 4}, .problem = "relu/left_fused"},
              {.pattern = "conv_add_relu", .layers = {2, 3, 4}, .problem = "relu/right_fused"}}};
}

inline MeasurementSet diamond_alone() {
  return test::steady(
      {{"start", 1 * ms}, {"left", 10 * ms}, {"right", 6 * ms}, {"sum", 3 * ms}, {"relu", 1 * ms}});
}

}  // namespace benanza::test
