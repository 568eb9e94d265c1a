// Groups of layers that one call does faster, beyond what the framework's operators do already.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/profile_match/mapping.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/questions/common/row_marks.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// True if alternatives were measured of the fused call, but not of the products that it replaces,
/// which may be slow for this reason alone. Other calls do not differ by as much as a fusion gains.
bool is_unfair(const Matter& matter, std::size_t fusion) {
  const FusionReport& report = matter.fusion();
  const auto is_default = [&](const LayerTime& time) {
    return std::ranges::any_of(time.calls, [&](const Measurement* const call) {
      return is_only_choice(*call, matter.subject().measurements());
    });
  };
  if (is_default(report.fusions[fusion])) return false;
  const auto& layers = matter.graph().fusions[fusion].layers;
  return std::ranges::any_of(layers, [&](std::size_t layer) {
    return is_product(matter.graph().layers[layer]) && is_default(report.layers[layer]);
  });
}

/// Whether it is done already: by one operator of the run or, without a run, in the bound without
/// fusion. What cannot be compared counts as done.
std::vector<bool> done_already(const Matter& matter) {
  std::vector<bool> done;
  for (const Fusion& fusion : matter.graph().fusions) {
    if (is_unfair(matter, done.size())) {
      done.push_back(true);
      continue;
    }
    if (matter.run() == nullptr) {
      done.push_back(fusion.whole || fusion.layers.size() == 1);
      continue;
    }
    done.push_back(nodes_of(fusion, matter.graph(), matter.run()->mapping).size() <= 1);
  }
  return done;
}

/// The groups that are new, and what they replace.
struct NewGroups {
  std::vector<std::size_t> fusions{};
  std::vector<std::size_t> layers{};
  double before_seconds = 0;
  double after_seconds = 0;
  SavedCalls change{};

  double gain_seconds() const { return before_seconds - after_seconds; }
};

NewGroups new_groups(const Matter& matter) {
  const FusionReport& report = matter.fusion();
  const std::vector<bool> done = done_already(matter);
  const Cover before =
      fusion_cover(matter.graph(), report.layers, report.fusions, report.movement, done);
  NewGroups groups{.before_seconds = before.seconds, .after_seconds = report.cover.seconds};
  std::set<std::size_t> affected;
  for (const std::size_t piece : report.cover.pieces) {
    if (std::ranges::find(before.pieces, piece) != before.pieces.end()) continue;
    const auto& layers = matter.graph().fusions[piece].layers;
    affected.insert(layers.begin(), layers.end());
    groups.change.add_after(report.fusions[piece]);
    if (layers.size() > 1) groups.fusions.push_back(piece);
  }
  groups.layers.assign(affected.begin(), affected.end());
  std::set<std::size_t> alone = affected;
  for (const std::size_t piece : before.pieces) {
    const auto& layers = matter.graph().fusions[piece].layers;
    const auto is_affected = [&](std::size_t layer) { return affected.contains(layer); };
    if (std::ranges::none_of(layers, is_affected)) continue;
    groups.change.add_before(report.fusions[piece]);
    for (const std::size_t layer : layers) alone.erase(layer);
  }
  for (const std::size_t layer : alone) {
    if (is_counted(report.layers[layer], report.movement)) {
      groups.change.add_before(report.layers[layer]);
    }
  }
  return groups;
}

/// "conv_relu (12), gemm_add (2)", the most saved first.
std::string patterns_text(const Matter& matter, const NewGroups& groups) {
  struct Pattern {
    std::string name{};
    std::size_t count = 0;
    double seconds = 0;
  };
  std::map<std::string, Pattern> by_name;
  for (const std::size_t fusion : groups.fusions) {
    Pattern& pattern = by_name[matter.graph().fusions[fusion].pattern];
    const FusionRow& row = matter.fusion().rows[fusion];
    pattern.name = matter.graph().fusions[fusion].pattern;
    ++pattern.count;
    if (row.alone_seconds && row.seconds) pattern.seconds += *row.alone_seconds - *row.seconds;
  }
  std::vector<Pattern> patterns;
  for (const auto& [name, pattern] : by_name) patterns.push_back(pattern);
  std::ranges::stable_sort(patterns, std::ranges::greater{}, &Pattern::seconds);
  std::vector<std::string> texts;
  for (const Pattern& one : patterns) texts.push_back(fmt::format("{} ({})", one.name, one.count));
  return enumerated(texts, 3);
}

/// Around the gain, as wide as the difference of the calls says.
std::optional<Interval> interval_around(const NewGroups& groups) {
  const std::optional<Interval> interval = groups.change.interval();
  if (!interval) return std::nullopt;
  const double shift = groups.gain_seconds() - groups.change.gain_seconds();
  return Interval{interval->low + shift, interval->high + shift};
}

/// The least time of a plan that makes one call a layer; empty if none was run.
std::optional<double> apart_plan_seconds(const Matter& matter) {
  std::optional<double> least;
  for (const PlanRun* const run : matter.bound().plans) {
    if (run->fused) continue;
    const double seconds = typical(run->seconds);
    least = std::min(least.value_or(seconds), seconds);
  }
  return least;
}

std::vector<Finding> layer_fusion(const Matter& matter) {
  // With layers that only a fused call does, the sums are not of the same work.
  if (matter.graph().fusions.empty() || !matter.fusion().only_fused.empty()) return {};
  const NewGroups groups = new_groups(matter);
  if (groups.fusions.empty()) return {};
  const bool has_run = matter.run() != nullptr;
  Finding finding{
      .cause = "unfused layers",
      .what = fmt::format(
          "{} {} {} with one call each, {} with the fastest calls{}: {}.", groups.fusions.size(),
          groups.fusions.size() == 1 ? "group of layers takes" : "groups of layers take",
          milliseconds(groups.change.after_seconds()), milliseconds(groups.change.before_seconds()),
          has_run ? " as " + matter.framework() + " groups them" : " for the separate layers",
          patterns_text(matter, groups)),
      .layers = groups.layers,
      .gain_seconds = groups.gain_seconds(),
      .interval = interval_around(groups),
      .affects = Affects::device,
      .leads_to_seconds = groups.after_seconds,
      .plan = matter.plan(true),
      .remedy = remedy_for_fusion(matter)};
  const auto apart = apart_plan_seconds(matter);
  if (!has_run && finding.plan != nullptr && apart) {
    finding.reference = Baseline{.name = "the plan with one call a layer", .seconds = *apart};
  }
  return {std::move(finding)};
}

}  // namespace

FindingKind layer_fusion_kind() { return {layer_fusion}; }

}  // namespace benanza::analysis
