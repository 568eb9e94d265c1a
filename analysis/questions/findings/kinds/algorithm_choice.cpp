// The framework's or the library's first choice of algorithms, beside the fastest calls.

#include <fmt/format.h>

#include "analysis/model/selection.h"
#include "analysis/questions/findings/judge.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// What was taken for a product instead of its fastest call; null: not known.
const Measurement* taken_for(const Matter& matter, std::size_t row) {
  if (matter.run() != nullptr) {
    return matter.picks().empty() ? nullptr : matter.picks()[row].measured;
  }
  return matter.products()[row].heuristic;
}

/// The fastest call that a choice of algorithm leads to: of a run, one that takes the tensors as
/// the run has them; null if none was measured. (Other formats: "memory format".)
const Measurement* best_choice(const Matter& matter, const AlgorithmRow& row,
                               const Measurement& taken) {
  if (matter.run() == nullptr || row.best == nullptr) return row.best;
  MeasurementFilter filter = matter.subject().filter;
  filter.layout = taken.variant.layout;
  return select_measurement(row.key, matter.subject().measurements(), filter,
                            taken.variant.precision)
      .best;
}

/// Whether the two calls' times differ by more than chance.
bool is_slower(const Measurement& taken, const Measurement& best) {
  SavedCalls change;
  change.add_before(taken);
  change.add_after(best);
  if (const auto interval = change.interval()) return interval->low > 0;
  return change.gain_seconds() > least_share_unknown * change.before_seconds();
}

struct Choices {
  std::size_t known = 0;
  std::size_t slower = 0;
  SavedCalls change{};
  EqualProblems lost{};
};

Choices choices_of(const Matter& matter) {
  Choices choices;
  for (std::size_t i = 0; i < matter.products().size(); ++i) {
    const AlgorithmRow& row = matter.products()[i];
    const Measurement* const taken = taken_for(matter, i);
    const Measurement* const best = taken == nullptr ? nullptr : best_choice(matter, row, *taken);
    if (best == nullptr) continue;
    ++choices.known;
    if (!is_slower(*taken, *best)) continue;
    ++choices.slower;
    choices.change.add_before(*taken);
    choices.change.add_after(*best);
    choices.lost.add(
        {.layer = row.layer,
         .key = row.key,
         .seconds = taken->seconds() - best->seconds(),
         .note = fmt::format("{} us by {}, {} us by {}", microseconds(taken->seconds()),
                             call_text(taken), microseconds(best->seconds()), call_text(best))});
  }
  return choices;
}

std::vector<Finding> algorithm_choice(const Matter& matter) {
  const Choices choices = choices_of(matter);
  if (choices.slower == 0) return {};
  const bool has_run = matter.run() != nullptr;
  const double bound = matter.bound().bounds.sequential.seconds;
  Finding finding{
      .cause = "choice of algorithm",
      .what = fmt::format(
          "{} of {} products with a slower algorithm than the fastest; most is lost in {}.",
          has_run ? fmt::format("{} runs {}", matter.framework(), choices.slower)
                  : fmt::format("The library's default runs {}", choices.slower),
          choices.known, choices.lost.worst_text(matter)),
      .layers = choices.lost.layers(),
      .gain_seconds = choices.change.gain_seconds(),
      .interval = choices.change.interval(),
      .affects = Affects::device,
      .leads_to_seconds = has_run ? matter.least_seconds() : bound,
      .plan = matter.plan(),
      .remedy = remedy_for_algorithms(matter)};
  if (!has_run) {
    finding.reference = Baseline{.name = "the bound with the library's defaults",
                                 .seconds = bound + choices.change.gain_seconds()};
  }
  return {std::move(finding)};
}

}  // namespace

FindingKind algorithm_choice_kind() { return {algorithm_choice}; }

}  // namespace benanza::analysis
