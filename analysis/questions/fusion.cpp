// benanza-analyze fusion: what models gain if one library call does several layers.

#include <fmt/format.h>

#include <set>

#include "analysis/profile_match/mapping.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/fusion/report.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

/// Throws Error, naming the first few fused calls that were not measured; with --allow-missing the
/// report counts them all.
void require_fusions(const FusionReport& report) {
  std::set<std::string> missing;
  for (const LayerTime& time : report.fusions) {
    for (const Gap& gap : time.gaps) missing.insert(gap.key + " (" + gap.reason + ")");
  }
  if (missing.empty()) return;
  std::string named;
  std::size_t count = 0;
  for (const std::string& one : missing) {
    if (++count <= 3) named += (named.empty() ? "" : ", ") + one;
  }
  throw Error(
      fmt::format("{}, {}: {} measurement{} missing: {}{}; run the benchmarks, or say "
                  "--allow-missing for a partial answer",
                  title(*report.graph), to_string(report.filter.precision), count,
                  count == 1 ? " is" : "s are", named, count > 3 ? ", ..." : ""));
}

std::optional<Section> fusion_answer(const Subject& subject) {
  FusionReport report =
      make_fusion_report(subject.graph, subject.measurements(), subject.filter, subject.movement());
  require_complete(subject, report.operators.layers);
  if (!subject.allow_missing) require_fusions(report);
  if (const Profile* const profile = profile_of(subject)) {
    const Mapping mapping = map_layers(subject.graph, profile->nodes);
    require_same_model(subject.graph, mapping, *profile);
    report.framework = {.framework = framework_name(*profile, subject.filter),
                        .fused = fused_by_framework(subject.graph, mapping)};
  }
  return fusion_section(report);
}

}  // namespace

Question fusion_question() {
  return {.name = "fusion",
          .help = "What fusing layers into one call saves",
          .section = fusion_answer,
          .chapter = "fusion",
          .place = 40};
}

}  // namespace benanza::analysis
