#include <algorithm>

#include "analysis/profile_match/same_model.h"
#include "analysis/input/framework.h"
#include "analysis/questions/report/model_chapter.h"
#include "core/statistics/statistics.h"

namespace benanza::analysis {
namespace {

/// Was any layer measured at the precision with Tensor Cores?
bool is_measured(const TensorCoreProfit& profit) {
  return std::any_of(profit.with_times.begin(), profit.with_times.end(),
                     [&](const LayerTime& time) {
                       return !time.calls.empty() &&
                              time.calls.front()->variant.precision == profit.with.precision;
                     });
}

/// One of the choice's precision, else another one of the model that knows its latency.
const Profile* best_profile(const Question& question, const Graph& graph, const Choice& choice) {
  if (const Profile* found = profile_of(question, graph, choice)) return found;
  const Profile* found = nullptr;
  for (const Profile& profile : question.profiles) {
    if (is_of(profile, graph) && !profile.latency_seconds.empty()) found = &profile;
  }
  return found;
}

void add_run(ModelAnswers& model, const Profile& profile) {
  if (!profile.latency_seconds.empty()) {
    model.measured_seconds = median(profile.latency_seconds);
    model.framework = profile.framework;
    const auto asked = std::string(to_string(model.choice.precision));
    if (!profile.precision.empty() && profile.precision != asked) {
      model.framework += ' ' + profile.precision;
    }
  }
  if (!profile.timeline) return;
  model.run = std::make_shared<const Profile>(one_run(profile, *model.graph));
  model.inspection = inspect(*model.graph, *model.run);
}

}  // namespace

ModelAnswers answer_all(const Question& question, const Graph& graph, const Choice& choice,
                        Precision tensor_core_precision) {
  const MeasurementSet& measurements = question.results.measurements;
  const Movement movement = question.movement;
  ModelAnswers model{.graph = &graph, .choice = choice, .movement = movement};
  model.times = layer_times(graph, measurements, choice);
  model.bounds = bounds(graph, model.times, movement);
  if (const Profile* profile = best_profile(question, graph, choice)) add_run(model, *profile);
  model.algorithms = algorithm_rows(graph, measurements, choice);
  model.picks = picks_of(question, graph, choice, model.algorithms);
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
  model.fusion = make_fusion_report(graph, measurements, choice, movement);
  return model;
}

}  // namespace benanza::analysis
