// Products that the framework does without Tensor Cores although the fastest call uses them.

#include <fmt/format.h>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/inspect/advice.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> tensor_core_use(const Matter& matter) {
  if (matter.inspection() == nullptr || matter.picks().empty()) return {};
  const double scale = matter.inspection()->work_scale;
  EqualProblems series;
  for (std::size_t i = 0; i < matter.picks().size(); ++i) {
    const FrameworkPick& pick = matter.picks()[i];
    const AlgorithmRow& row = matter.products()[i];
    const bool is_missed = pick.tensor_cores == false && pick.ran_seconds && !pick.again &&
                           row.best != nullptr && row.best->tensor_cores == true;
    if (!is_missed) continue;
    const double ran = *pick.ran_seconds * scale;
    const double best = row.best->seconds();
    if (ran <= best) continue;
    series.add(
        {.layer = row.layer,
         .key = row.key,
         .seconds = ran - best,
         .note = fmt::format("{} us, with them {} us", microseconds(ran), microseconds(best))});
  }
  if (series.empty()) return {};
  return {{.cause = "Tensor Cores unused",
           .what = fmt::format("{} does {} {} without Tensor Cores at {}; most is lost in {}.",
                               matter.framework(), series.layers().size(),
                               series.layers().size() == 1 ? "product" : "products",
                               matter.profile().precision, series.worst_text(matter)),
           .layers = series.layers(),
           .gain_seconds = series.seconds(),
           .certainty = Certainty::estimated,
           .affects = Affects::device,
           .leads_to_seconds = matter.least_seconds(),
           .plan = matter.plan(),
           .remedy = {advice_on_arithmetic(matter.profile()),
                      matter.ask("tensor-cores", " --profile " + matter.profile().path.string())}}};
}

}  // namespace

FindingKind tensor_core_use_kind() { return {tensor_core_use}; }

}  // namespace benanza::analysis
