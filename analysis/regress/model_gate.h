#pragma once

#include <string>
#include <vector>

#include "analysis/questions/compare/model_changes.h"
#include "analysis/regress/gate.h"
#include "analysis/regress/layer_names.h"

namespace benanza::regress {

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
