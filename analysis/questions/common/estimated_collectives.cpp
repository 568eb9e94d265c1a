#include "analysis/questions/common/estimated_collectives.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

bool is_collectives_alone(const Layer& layer) {
  return !layer.problems.empty() && std::ranges::all_of(layer.problems, [](const auto& problem) {
    return asks_for<Collective>(problem);
  });
}

bool lacks_it(const Layer& layer, const LayerTime& time) {
  return time.status == LayerStatus::missing && is_collectives_alone(layer);
}

/// Empty unless all are known.
std::optional<double> seconds_of(const Layer& layer, const CollectiveCurves& curves,
                                 Precision precision) {
  double sum = 0;
  for (const std::string& problem : layer.problems) {
    const auto shape = std::get<Collective>(parse(problem).shape);
    const CollectiveCurve* const curve = curves.find(shape.kind, shape.ranks);
    const auto bytes = static_cast<double>(shape.elements * element_bytes(precision));
    const auto seconds = curve == nullptr ? std::nullopt : curve->seconds(bytes);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum;
}

}  // namespace

bool lacks_collectives(const Graph& graph, const std::vector<LayerTime>& times) {
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (lacks_it(graph.layers[layer], times[layer])) return true;
  }
  return false;
}

void estimate_collectives(const Graph& graph, const CollectiveCurves& curves, Precision precision,
                          std::vector<LayerTime>& times) {
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const Layer& one = graph.layers[layer];
    if (!lacks_it(one, times[layer])) continue;
    const auto seconds = seconds_of(one, curves, precision_of(one, precision));
    if (!seconds) continue;
    times[layer] = {.status = LayerStatus::measured,
                    .seconds = seconds,
                    .note = "between the sizes that " + curves.backend + " was measured at"};
  }
}

}  // namespace benanza::analysis
