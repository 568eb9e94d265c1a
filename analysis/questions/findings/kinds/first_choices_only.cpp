// Calls of the bound beside which no other was measured.

#include <fmt/format.h>

#include "analysis/questions/common/row_marks.h"
#include "analysis/questions/findings/matter.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> first_choices_only(const Matter& matter) {
  const BoundReport& bound = matter.bound();
  const FirstChoices found =
      first_choices(bound.times, matter.subject().measurements(), bound.movement);
  const std::size_t fusions = bound.ladder.missing_fusions;
  if (found.alone == 0 && fusions == 0) return {};
  const std::string of_calls =
      found.alone == 0
          ? ""
          : fmt::format("{} of the {} calls are default choices without measured alternatives",
                        found.alone, found.calls);
  const std::string of_fusions =
      fusions == 0 ? "" : fmt::format("{} fused calls were not measured", fusions);
  return {{.cause = "alternatives not measured",
           .what = fmt::format("{}{}{}: the bound may be lower.", of_calls,
                               of_calls.empty() || of_fusions.empty() ? "" : ", and ", of_fusions),
           .remedy = {"Measure the rest; existing results are kept.",
                      "scripts/bench MODEL.onnx --time all"}}};
}

}  // namespace

FindingKind first_choices_only_kind() { return {first_choices_only}; }

}  // namespace benanza::analysis
