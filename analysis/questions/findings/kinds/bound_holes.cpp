// Layers that the bound leaves out.

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "analysis/model/layer_time.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Layers by what they are.
struct Hole {
  std::vector<std::size_t> layers{};
  std::string why{};
  /// Their precisions.
  std::string at{};
};

Hole hole_of(const Matter& matter, bool is_missing) {
  const BoundReport& bound = matter.bound();
  const MeasurementFilter& filter = matter.subject().filter;
  Hole hole;
  std::map<std::string, std::size_t> operators;
  std::set<std::string_view> precisions;
  for (std::size_t layer = 0; layer < bound.times.size(); ++layer) {
    const LayerTime& time = bound.times[layer];
    if (!lacks_time(time, bound.movement)) continue;
    if ((time.status == LayerStatus::missing) != is_missing) continue;
    hole.layers.push_back(layer);
    ++operators[matter.graph().layers[layer].op];
    precisions.insert(to_string(precision_of(matter.graph().layers[layer], filter.precision)));
  }
  hole.at = fmt::format("{}", fmt::join(precisions, " and "));
  std::vector<std::string> names;
  for (const auto& [op, count] : operators) names.push_back(fmt::format("{} ({})", op, count));
  hole.why = enumerated(names, 4);
  return hole;
}

std::vector<Finding> bound_holes(const Matter& matter) {
  const MeasurementFilter& filter = matter.subject().filter;
  const bool can_fall_back = filter.precision != Precision::fp32 && !filter.fallback;
  std::vector<Finding> findings;
  if (const Hole hole = hole_of(matter, false); !hole.layers.empty()) {
    findings.push_back(
        {.cause = "layers without a call",
         .what = fmt::format("The bound leaves out {} {} that no library here supports at {}: {}.",
                             hole.layers.size(), hole.layers.size() == 1 ? "layer" : "layers",
                             hole.at, hole.why),
         .layers = hole.layers,
         .remedy = {
             can_fall_back
                 ? "Count these layers at fp32, or by a framework's kernels (--seen PROFILE)."
                 : "Count these layers by a framework's kernels (--seen PROFILE).",
             can_fall_back ? matter.ask("bound", " --fallback fp32") : ""}});
  }
  if (const Hole hole = hole_of(matter, true); !hole.layers.empty()) {
    findings.push_back(
        {.cause = "layers not measured",
         .what = fmt::format("The bound leaves out {} {} whose calls were not measured: {}.",
                             hole.layers.size(), hole.layers.size() == 1 ? "layer" : "layers",
                             hole.why),
         .layers = hole.layers,
         .remedy = {"Measure the rest; existing results are kept.",
                    "scripts/bench MODEL.onnx --time all"}});
  }
  return findings;
}

}  // namespace

FindingKind bound_holes_kind() { return {bound_holes}; }

}  // namespace benanza::analysis
