#pragma once

#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// How many of the rows that layers' times rest on are marked (docs/report.md, "Conditions").
struct Disturbed {
  /// Repetitions of the chosen calls, each once.
  std::size_t rows = 0;
  std::size_t disturbed = 0;
  /// By what the first of them was.
  std::string first{};
};
Disturbed disturbed(const std::vector<LayerTime>& times, Movement movement = Movement::include);

/// The fact "disturbed_rows" and, if there are any, a line: of the rows that the model's bound
/// rests on.
void add_disturbed(Section& section, const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement);

}  // namespace benanza::analysis
