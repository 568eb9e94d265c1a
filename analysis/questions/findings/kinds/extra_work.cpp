// What the framework does beyond the model: copies, casts, operators that could be folded.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/questions/findings/matter.h"
#include "analysis/questions/inspect/advice.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

struct ExtraKind {
  double seconds = 0;
  std::size_t count = 0;
  std::vector<std::string> layers{};
  /// The operator in which it is done, of the first; empty if it is one of its own.
  std::string inside{};
  std::string advice{};

  void add(double more_seconds, const std::string& layer, const std::string& what_to_do) {
    seconds += more_seconds;
    ++count;
    layers.push_back(layer);
    advice = what_to_do;
  }
};

/// Of these, a framework's profile shows little more than what it costs to look.
bool has_no_work(std::string_view op) {
  constexpr std::string_view names[] = {"Reshape",  "Squeeze", "Unsqueeze", "Flatten",
                                        "Identity", "Shape",   "Size",      "Constant"};
  return std::ranges::find(names, op) != std::end(names);
}

std::string kind_name(const ProfiledNode& extra) {
  if (extra.op.starts_with("Reorder")) return "changes of layout (ReorderInput, ReorderOutput)";
  return extra.op.empty() ? extra.name : extra.op;
}

/// By what it is.
std::map<std::string, ExtraKind> extra_kinds(const Matter& matter) {
  std::map<std::string, ExtraKind> kinds;
  if (const Inspection* const inspection = matter.inspection()) {
    for (const Deviation& one : inspection->findings) {
      const bool is_layout = one.what == name_of(KernelRole::layout);
      if (one.difference != Difference::extra || is_layout) continue;
      ExtraKind& kind = kinds[one.what];
      kind.add(one.seconds, one.layer, one.advice);
      if (kind.inside.empty()) kind.inside = one.node;
    }
    return kinds;
  }
  for (const std::size_t node : matter.run()->extra_nodes) {
    const ProfiledNode& extra = matter.profile().nodes[node];
    if (untold_work(extra, false) || has_no_work(extra.op)) continue;
    kinds[kind_name(extra)].add(extra.seconds * matter.run()->losses.factor, "",
                                advice_on_extra(extra.op));
  }
  return kinds;
}

std::vector<Finding> extra_work(const Matter& matter) {
  if (matter.run() == nullptr || !matter.profile().launched_on.empty()) return {};
  std::vector<Finding> findings;
  for (const auto& [what, kind] : extra_kinds(matter)) {
    findings.push_back(
        {.cause = "work beyond the model",
         .what = fmt::format("{} spends {} on {} ({} {}{}), which the model does not ask for.",
                             matter.framework(), milliseconds(kind.seconds), what, kind.count,
                             kind.count == 1 ? "time" : "times",
                             kind.inside.empty() ? std::string() : ", as in " + kind.inside),
         .layers = matter.layers_named(kind.layers),
         .gain_seconds = kind.seconds,
         .certainty = Certainty::estimated,
         .affects = Affects::device,
         .leads_to_seconds = matter.least_seconds(),
         .remedy = {kind.advice,
                    matter.inspection() != nullptr
                        ? matter.ask_inspect()
                        : matter.ask("bound", " --profile " + matter.profile().path.string())}});
  }
  return findings;
}

}  // namespace

FindingKind extra_work_kind() { return {extra_work}; }

}  // namespace benanza::analysis
