#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/coverage.h"
#include "analysis/profile_match/comparison.h"
#include "analysis/results/read.h"

namespace benanza::analysis {

/// What `bound` answers for one model, batch and precision.
struct BoundReport {
  const Graph* graph = nullptr;
  Choice choice{};
  Movement movement = Movement::exclude;
  /// Per layer.
  std::vector<LayerTime> times{};
  Coverage coverage{};
  Bounds bounds{};
  Bounds with_movement{};
  /// Of `bounds`.
  Assumed assumed{};
  std::vector<Comparison> comparisons{};

  /// Some layer that has a benchmark was not measured: the bound leaves it out.
  bool is_partial() const { return coverage.of(Standing::missing).layers > 0; }
};

BoundReport make_report(const Graph& graph, const MeasurementSet& measurements,
                        const Choice& choice, Movement movement);

/// Everything a formatter says.
struct BoundReports {
  std::vector<BoundReport> reports{};
  std::map<std::string, System> systems{};
};

/// For people: aligned, with units. `rows` bounds the tables of layers and of losses.
std::string bound_table(const BoundReports& reports, std::size_t rows);
/// For programs: {"schema": 1, "systems", "reports": [...]}; unknown is null. Ends with a newline.
std::string bound_json(const BoundReports& reports);
/// One row a layer, after a row of column names; unknown is empty.
std::string bound_csv(const BoundReports& reports);

}  // namespace benanza::analysis
