// The bound rests on reference code.

#include <fmt/format.h>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> reference_calls(const Matter& matter) {
  const BoundReport& bound = matter.bound();
  const ReferenceCode code = reference_code(matter.graph(), bound.times, bound.movement);
  if (code.calls == 0) return {};
  EqualProblems series;
  for (std::size_t layer = 0; layer < bound.times.size(); ++layer) {
    if (!is_counted(bound.times[layer], bound.movement)) continue;
    for (const Measurement* const call : bound.times[layer].calls) {
      if (!call->reference) continue;
      series.add({.layer = layer,
                  .key = call->variant.key,
                  .seconds = call->seconds(),
                  .note = microseconds(call->seconds()) + " us"});
    }
  }
  return {{.cause = "reference code",
           .what = fmt::format(
               "{} of the {} calls, {} of the bound, are the library's reference code, "
               "most of it in {}: the bound may be far too high there.",
               code.calls, code.all_calls, milliseconds(code.seconds), series.worst_text(matter)),
           .layers = series.layers(),
           .gain_seconds = code.seconds,
           .certainty = Certainty::at_most,
           .reference = Baseline{.name = "the bound", .seconds = bound.bounds.sequential.seconds},
           .remedy = {"Run these layers with your own or a framework's code, and do not trust the "
                      "bound there; another version of the library may have faster code.",
                      matter.is_of_gpu() ? matter.ask("algorithms")
                                         : "scripts/bench MODEL.onnx --onednn 3.2"}}};
}

}  // namespace

FindingKind reference_calls_kind() { return {reference_calls}; }

}  // namespace benanza::analysis
