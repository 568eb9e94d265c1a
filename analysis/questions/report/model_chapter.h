#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/inspect/inspection.h"
#include "analysis/input/inputs.h"
#include "analysis/questions/common/answers.h"
#include "analysis/questions/fusion/report.h"
#include "analysis/render/page_html.h"
#include "analysis/results/read.h"

namespace benanza::analysis {

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
  /// One per row of `algorithms`; none without a profile that knows the GPU's kernels.
  std::vector<FrameworkPick> picks{};
  /// Empty where nothing was measured at a precision with Tensor Cores.
  std::optional<TensorCoreProfit> tensor_cores{};
  JointAnswer joint{};
  LayoutPlans layouts{};
  FusionReport fusion{};
  /// One run of the model, and what was found in it; empty without a profile that knows the GPU's
  /// kernels.
  std::shared_ptr<const Profile> run{};
  std::optional<Inspection> inspection{};
};

/// Answers every question that results and profiles can answer. `tensor_core_precision`: what
/// `joint` and `tensor_cores` compare with. The profile is one of the choice's precision, else of
/// another, whose name is then beside the framework's.
ModelAnswers answer_all(const Question& question, const Graph& graph, const Choice& choice,
                        Precision tensor_core_precision);

/// Bounds, measured latencies and ratios of all models.
Chapter overview_chapter(const std::vector<ModelAnswers>& models);
Chapter fusion_chapter(const std::string& name, const FusionReport& report);
/// What a framework's run does beyond the model.
Chapter inspect_chapter(const std::string& name, const Profile& profile,
                        const Inspection& inspection);
/// Plots and tables of one model. `peaks`: of the devices, for the roofline.
std::vector<Chapter> model_chapters(const ModelAnswers& model,
                                    const std::map<std::string, PeakValues>& peaks);

}  // namespace benanza::analysis
