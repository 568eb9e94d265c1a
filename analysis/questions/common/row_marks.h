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

/// How many calls that layers' times rest on are the first choice of their library because nothing
/// else was asked for (`--algorithms best`): a call that nobody measured may be faster.
struct FirstChoices {
  /// Each once.
  std::size_t calls = 0;
  std::size_t alone = 0;
};
FirstChoices first_choices(const std::vector<LayerTime>& times, const MeasurementSet& measurements,
                           Movement movement = Movement::include);

/// The facts "disturbed_rows" and "first_choice_calls", each with a line if there are any: of what
/// the model's bound rests on.
void add_row_marks(Section& section, const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement);

}  // namespace benanza::analysis
