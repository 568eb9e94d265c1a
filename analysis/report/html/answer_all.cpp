#include <algorithm>

#include "report/html/model_chapter.h"
#include "statistics/statistics.h"

namespace benanza {
namespace {

/// Was any layer measured at the precision with Tensor Cores?
bool is_measured(const TensorCoreProfit& profit) {
  return std::any_of(profit.with_times.begin(), profit.with_times.end(),
                     [&](const LayerTime& time) {
                       return !time.calls.empty() &&
                              time.calls.front()->variant.precision == profit.with.precision;
                     });
}

}  // namespace

ModelAnswers answer_all(const Graph& graph, const MeasurementSet& measurements,
                        const Choice& choice, Precision tensor_core_precision, Movement movement,
                        const std::vector<Profile>& profiles) {
  ModelAnswers model{.graph = &graph, .choice = choice, .movement = movement};
  model.times = layer_times(graph, measurements, choice);
  model.bounds = bounds(graph, model.times, movement);
  for (const Profile& profile : profiles) {
    if (!is_of(profile, graph) || profile.latency_seconds.empty()) continue;
    model.measured_seconds = median(profile.latency_seconds);
    model.framework = profile.framework;
  }
  model.algorithms = algorithm_rows(graph, measurements, choice);
  Precision with = tensor_core_precision;
  if (choice.precision != with) {
    Choice at_other = choice;
    at_other.precision = with;
    TensorCoreProfit profit =
        tensor_core_profit(graph, measurements, at_other, choice.precision, movement);
    if (is_measured(profit)) model.tensor_cores = std::move(profit);
  }
  // Without measurements the subsets with Tensor Cores are those without.
  if (!model.tensor_cores) with = choice.precision;
  model.joint = joint(graph, measurements, choice, with, movement);
  model.joint.measured_seconds = model.measured_seconds;
  model.layouts = layout_plans(graph, measurements, choice, movement);
  return model;
}

}  // namespace benanza
