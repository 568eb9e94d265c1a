#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/questions/compare/model_changes.h"
#include "analysis/regress/gate.h"
#include "core/graph_file/graph.h"

namespace benanza::regress {

/// Returns where a problem comes from: "resnet50_v1: conv2 and 3 more"; empty if from no model.
using LayersOf = std::function<std::string(std::string_view key)>;

/// The layers of `graphs` by their problems, those of fusions included, which are named by the
/// layer that they end with.
class LayerNames {
 public:
  explicit LayerNames(const std::vector<Graph>& graphs);

  std::string of(std::string_view key) const;

 private:
  /// By problem: of each model that has it, its layers.
  std::map<std::string, std::map<std::string, std::vector<std::string>>, std::less<>> layers_;
};

/// What the verdicts on calls come to for a model at one precision: by the weight of its layers, as
/// `benanza-analyze compare --graph` judges.
struct ModelGate {
  /// "resnet50_v1, batch 8, fp32".
  std::string model{};
  analysis::ModelVerdict verdict{};
};

/// The models whose problems were compared; none if the problems are of no model.
struct OfModels {
  LayersOf layers = nullptr;
  std::vector<ModelGate> gates{};
  /// Verdicts on calls that are in no bound, and were left out.
  std::size_t unused = 0;

  /// Of models, whether one of them is worse or everything is slower; else as the answer says.
  bool close(const GateAnswer& answer, const GateOptions& options) const;
};

/// Weighs the verdicts by the bounds of `graphs` at every precision of the first round, which holds
/// everything, and removes those on calls that no bound uses from `answer`. A slower call costs
/// what the judged ratio adds to its time before.
OfModels weigh(const std::vector<Graph>& graphs, const RowsOfRound& first, Unit unit,
               GateAnswer& answer);

}  // namespace benanza::regress
