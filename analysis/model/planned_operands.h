#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/model/planned_tensors.h"
#include "core/graph_file/data_flow.h"
#include "core/plan_file/plan.h"
#include "core/problem/problem.h"

namespace benanza::analysis {

/// How the calls of a plan under construction read their operands: as numbers, as masks, as rows
/// that are repeated.
class PlannedOperands {
 public:
  /// `prepared`: layers that are left to the caller. All must outlive this.
  PlannedOperands(const DataFlow& flow, const std::vector<bool>& prepared, PlannedTensors& places,
                  Plan& plan)
      : flow_(flow), prepared_(prepared), places_(places), plan_(plan) {}

  /// Takes note of how the call, which comes next, reads its operand `at`, which may be changed.
  /// Why it cannot; empty if it can.
  std::string obstacle(FlowCall& call, const Problem& problem, std::size_t at);

 private:
  std::string truth_obstacle(const Problem& problem, const FlowOperand& operand, std::size_t at);
  bool reads_rows(FlowOperand& operand);

  const DataFlow& flow_;
  const std::vector<bool>& prepared_;
  PlannedTensors& places_;
  Plan& plan_;
  /// Truth values by tensor: PlanTensor::hides.
  std::map<std::size_t, bool> hides_;
  /// By tensor: how what reads it wants its rows repeated.
  std::map<std::size_t, std::vector<float>> repeated_;
};

}  // namespace benanza::analysis
