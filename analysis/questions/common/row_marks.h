#pragma once

#include <string>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// Counts the marked repetitions among the rows used for the layers' times (docs/report.md,
/// "Conditions").
struct Disturbed {
  /// Repetitions of the chosen calls; each call counts once.
  std::size_t rows = 0;
  std::size_t disturbed = 0;
  /// What disturbed the first of them.
  std::string first{};
};
Disturbed disturbed(const std::vector<LayerTime>& times, Movement movement = Movement::include);

/// Counts the calls used for the layers' times that are the library's first choice because no other
/// was requested (`--algorithms best`): an unmeasured call may be faster.
struct FirstChoices {
  /// Each call counts once.
  std::size_t calls = 0;
  std::size_t alone = 0;
};
FirstChoices first_choices(const std::vector<LayerTime>& times, const MeasurementSet& measurements,
                           Movement movement = Movement::include);

/// True if no call but the library's first choice was measured for the problem.
bool is_only_choice(const Measurement& call, const MeasurementSet& measurements);

/// Adds the facts "disturbed_rows" and "first_choice_calls" for the calls used in the model's
/// bound, each with a line of text if it is not 0.
void add_row_marks(Section& section, const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement);

}  // namespace benanza::analysis
