#include "analysis/questions/common/row_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/model/whole.h"

namespace benanza::analysis {
namespace {

/// The calls used for the times, each once, in the layers' order.
std::vector<const Measurement*> calls_of(const std::vector<LayerTime>& times, Movement movement) {
  std::vector<const Measurement*> calls;
  std::set<const Measurement*> seen;
  for (const LayerTime& time : times) {
    if (time.status == LayerStatus::movement && movement == Movement::exclude) continue;
    for (const Measurement* const call : time.calls) {
      if (seen.insert(call).second) calls.push_back(call);
    }
  }
  return calls;
}

void add_disturbed(Section& section, const Disturbed& sum) {
  section.facts["disturbed_rows"] = sum.disturbed;
  if (sum.disturbed == 0) return;
  section.add(
      fmt::format("disturbed: {} of the {} rows that the bound rests on ({}{}), see docs/report.md",
                  sum.disturbed, sum.rows, sum.disturbed > 1 ? "first: " : "", sum.first));
}

void add_first_choices(Section& section, const FirstChoices& sum) {
  section.facts["first_choice_calls"] = sum.alone;
  if (sum.alone == 0) return;
  section.add(fmt::format(
      "default choices: for {} of the {} calls in the bound, only the library's default was "
      "measured (--algorithms best); others may be faster: --algorithms leading or all",
      sum.alone, sum.calls));
}

}  // namespace

Disturbed disturbed(const std::vector<LayerTime>& times, Movement movement) {
  Disturbed sum;
  for (const Measurement* const call : calls_of(times, movement)) {
    sum.rows += call->repetition_seconds.size();
    sum.disturbed += call->disturbed_repetitions;
    if (sum.first.empty()) sum.first = call->disturbance;
  }
  return sum;
}

bool is_only_choice(const Measurement& call, const MeasurementSet& measurements) {
  const auto variants = measurements.find(call.variant.key);
  return std::ranges::all_of(variants, [&](const Measurement& other) {
    return other.first_choice || other.variant.precision != call.variant.precision;
  });
}

FirstChoices first_choices(const std::vector<LayerTime>& times, const MeasurementSet& measurements,
                           Movement movement) {
  FirstChoices sum;
  for (const Measurement* const call : calls_of(times, movement)) {
    ++sum.calls;
    if (is_only_choice(*call, measurements)) ++sum.alone;
  }
  return sum;
}

void add_row_marks(Section& section, const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement) {
  Disturbed of_rows;
  FirstChoices of_calls;
  // Usually no row is marked.
  if (measurements.any_marked()) {
    const auto times = operator_times(graph, measurements, filter, movement);
    of_rows = disturbed(times, movement);
    of_calls = first_choices(times, measurements, movement);
  }
  add_disturbed(section, of_rows);
  add_first_choices(section, of_calls);
}

}  // namespace benanza::analysis
