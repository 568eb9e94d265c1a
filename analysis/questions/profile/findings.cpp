#include "analysis/questions/profile/findings.h"

#include <fmt/format.h>

#include "analysis/render/text.h"
#include "record/views/weight_reorders.h"

namespace benanza::analysis {
namespace {

/// Less than this share of the library's time is not worth a change of the program.
constexpr double least_share = 0.01;

double share_of(const WeightReorders& found) {
  return found.all_seconds > 0 ? found.seconds / found.all_seconds : 0;
}

Points::Point point_of(const WeightReorders& found, const std::string& whose) {
  return {.head = fmt::format("weight reorders{}: {}, {:.1f}% of the library's time", whose,
                              milliseconds(found.seconds), share_of(found) * 100),
          .lines = {fmt::format("The weights of {} {} of calls are brought into the library's "
                                "format again in every step ({} reorders); most in {}, {}.",
                                found.kinds, found.kinds == 1 ? "kind" : "kinds", found.calls,
                                found.worst, milliseconds(found.worst_seconds)),
                    "Do: Pack the weights once, when the model is loaded. In PyTorch, compile with "
                    "frozen weights, under torch.no_grad()."},
          .code = "torch._inductor.config.freezing = True; model = torch.compile(model.eval())",
          .weight = share_of(found)};
}

}  // namespace

std::optional<Points> profile_findings(const std::vector<Recorded>& recorded) {
  Points points{.title = "What would help most"};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const WeightReorders found = weight_reorders(recorded[at].totals);
    if (share_of(found) < least_share) continue;
    points.points.push_back(
        point_of(found, recorded.size() > 1 ? fmt::format(", recording {}", at + 1) : ""));
  }
  return points.points.empty() ? std::nullopt : std::optional(std::move(points));
}

nlohmann::ordered_json reorder_facts(const Recorded& recorded) {
  const WeightReorders found = weight_reorders(recorded.totals);
  return {{"calls", found.calls}, {"seconds", found.seconds}, {"kinds", found.kinds}};
}

}  // namespace benanza::analysis
