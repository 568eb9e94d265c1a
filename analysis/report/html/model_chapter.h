#pragma once

#include <optional>

#include "comparison/comparison.h"
#include "report/answers.h"
#include "report/html/page_html.h"
#include "results/read.h"

namespace benanza {

/// Everything known about one model at one precision.
struct ModelAnswers {
  const Graph* graph = nullptr;
  Choice choice{};
  Movement movement = Movement::exclude;
  std::vector<LayerTime> times{};
  Bounds bounds{};
  /// Of the framework, if there is a profile: seconds.
  std::optional<double> measured_seconds{};
  std::string framework{};
  std::vector<AlgorithmRow> algorithms{};
  /// Empty where nothing was measured at a precision with Tensor Cores.
  std::optional<TensorCoreProfit> tensor_cores{};
  JointAnswer joint{};
  LayoutPlans layouts{};
};

/// Answers every question that the results can answer. `tensor_core_precision`: what `joint` and
/// `tensor_cores` compare with.
ModelAnswers answer_all(const Graph& graph, const MeasurementSet& measurements,
                        const Choice& choice, Precision tensor_core_precision, Movement movement,
                        const std::vector<Profile>& profiles);

/// Bounds, measured latencies and ratios of all models.
Chapter overview_chapter(const std::vector<ModelAnswers>& models);
/// Plots and tables of one model. `peaks`: of the devices, for the roofline.
std::vector<Chapter> model_chapters(const ModelAnswers& model,
                                    const std::map<std::string, PeakValues>& peaks);

}  // namespace benanza
