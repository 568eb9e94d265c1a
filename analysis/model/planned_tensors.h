#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/plan_file/plan.h"
#include "core/problem/precision.h"
#include "core/problem/problem.h"

namespace benanza::analysis {

/// The tensors of a plan under construction, and which of them share a buffer.
class PlannedTensors {
 public:
  /// Adds the flow's tensors to the plan. Both must outlive this.
  PlannedTensors(const DataFlow& flow, Precision precision, Plan& plan);

  bool is_constant(std::size_t tensor) const;
  /// Gives the tensor a buffer of at least `elements` and its own; a view or part has that of what
  /// it shows. Returns the buffer.
  std::size_t place(std::size_t tensor, std::int64_t elements);
  /// `result` is what `source` has from its element `first` on.
  void make_part(std::size_t result, std::size_t source, std::int64_t first);
  /// `part`, which a step makes, lies in `whole` from its element `first` on.
  void put_into(std::size_t part, std::size_t whole, std::int64_t first);
  bool is_put(std::size_t tensor) const { return put_.contains(tensor); }
  /// The tensor that a view or part shows.
  std::size_t whole_of(std::size_t tensor) const;
  /// The tensor that a view shows.
  std::size_t original(std::size_t tensor) const;

 private:
  struct Part {
    std::size_t whole = 0;
    /// Its first element there.
    std::int64_t first = 0;
  };

  const DataFlow& flow_;
  Precision precision_;
  Plan& plan_;
  /// For a view, the tensor whose elements it is.
  std::vector<std::optional<std::size_t>> alias_;
  std::map<std::size_t, Part> parts_;
  /// Parts that steps make, where they are.
  std::map<std::size_t, Part> put_;
};

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
