// Tensors whose elements lie in another order than the calls want: conversions that ran, and the
// bound in NCHW beside that in NHWC.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/inspect/advice.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

constexpr std::string_view layout_cause = "memory format";

/// What the framework's layout transforms take.
std::optional<Finding> conversions_in_run(const Matter& matter) {
  if (matter.inspection() == nullptr) return std::nullopt;
  std::vector<std::string> names;
  double seconds = 0;
  for (const Deviation& one : matter.inspection()->findings) {
    if (one.difference != Difference::extra || one.what != name_of(KernelRole::layout)) continue;
    names.push_back(one.layer);
    seconds += one.seconds;
  }
  if (names.empty()) return std::nullopt;
  return Finding{
      .what = fmt::format("{} converts tensors between NCHW and NHWC at {} {}, for {} in all.",
                          matter.framework(), names.size(), names.size() == 1 ? "place" : "places",
                          milliseconds(seconds)),
      .layers = matter.layers_named(names),
      .gain_seconds = seconds,
      .certainty = Certainty::estimated,
      .affects = Affects::device,
      .leads_to_seconds = matter.least_seconds()};
}

bool can_run(const LayoutPlan& plan) {
  return plan.impossible.empty() && plan.unknown.empty() && plan.unmeasured.empty();
}

/// All in NHWC if that is nearly as good as the best mix.
const LayoutPlan& other_layout(const LayoutPlans& plans) {
  constexpr double nearly = 1.02;
  const bool simple = can_run(plans.nhwc) && plans.nhwc.seconds() <= nearly * plans.best.seconds();
  return simple ? plans.nhwc : plans.best;
}

SavedCalls change_of(const LayoutPlan& before, const LayoutPlan& after) {
  SavedCalls change;
  for (std::size_t layer = 0; layer < before.times.size(); ++layer) {
    if (before.times[layer].calls == after.times[layer].calls) continue;
    change.add_before(before.times[layer]);
    change.add_after(after.times[layer]);
  }
  for (const PlannedTransform& one : before.transforms) {
    if (one.call != nullptr) change.add_before(*one.call);
  }
  for (const PlannedTransform& one : after.transforms) {
    if (one.call != nullptr) change.add_after(*one.call);
  }
  return change;
}

/// Where calls take the library's own formats, nobody is bound to NCHW, but PyTorch by the order of
/// its tensors.
bool may_choose_formats(const Matter& matter) {
  const bool has_own = std::ranges::any_of(matter.bound().times, [](const LayerTime& time) {
    return std::ranges::any_of(
        time.calls, [](const Measurement* call) { return call->variant.layout == Layout::any; });
  });
  return has_own && (matter.run() == nullptr || matter.profile().framework != "pytorch");
}

/// The bound in NCHW beside that in the other layout.
std::optional<Finding> faster_layout(const Matter& matter) {
  if (matter.layouts() == nullptr || matter.has_option("channels_last")) return std::nullopt;
  if (may_choose_formats(matter)) return std::nullopt;
  const LayoutPlans& plans = *matter.layouts();
  if (!can_run(plans.nchw) || !can_run(plans.best)) return std::nullopt;
  const LayoutPlan& after = other_layout(plans);
  const double before = plans.nchw.seconds();
  Finding finding{
      .what = fmt::format(
          "In NCHW the fastest calls take {}, {} {}, {} of them for {} {}.", milliseconds(before),
          &after == &plans.nhwc ? "in NHWC where possible" : "in the best mix",
          milliseconds(after.seconds()), milliseconds(after.transform_seconds),
          after.transforms.size(), after.transforms.size() == 1 ? "conversion" : "conversions"),
      .gain_seconds = before - after.seconds(),
      .interval = change_of(plans.nchw, after).interval(),
      .affects = Affects::device,
      .leads_to_seconds = after.seconds(),
      .plan = matter.plan()};
  if (matter.run() == nullptr) {
    finding.reference = Baseline{.name = "the bound in NCHW", .seconds = before};
  } else {
    // Its own kernels, of pooling for instance, may be slower in the other format.
    finding.certainty = Certainty::at_most;
  }
  std::vector<std::string> names;
  for (std::size_t layer = 0; layer < after.times.size(); ++layer) {
    if (after.layouts[layer] == Layout::nhwc && !after.times[layer].calls.empty()) {
      names.push_back(plans.graph->layers[layer].name);
    }
  }
  finding.layers = matter.layers_named(names);
  return finding;
}

/// The same remedy serves both: the one that gains more.
std::vector<Finding> memory_format(const Matter& matter) {
  std::optional<Finding> found = faster_layout(matter);
  std::optional<Finding> ran = conversions_in_run(matter);
  if (ran && (!found || *found->gain_seconds < *ran->gain_seconds)) found = std::move(ran);
  if (!found) return {};
  found->cause = layout_cause;
  found->remedy = remedy_for_layout(matter);
  return {*std::move(found)};
}

}  // namespace

FindingKind memory_format_kind() { return {memory_format}; }

}  // namespace benanza::analysis
