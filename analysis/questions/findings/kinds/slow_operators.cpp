// The framework's operators that take longer than the fastest calls for their layers.

#include <fmt/format.h>

#include <map>

#include "analysis/questions/findings/equal_problems.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/questions/findings/remedies.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Operators of one kind.
struct SlowKind {
  EqualProblems series{};
  std::size_t operators = 0;
  Interval range{};
};

std::string main_key(const Matter& matter, const std::vector<std::size_t>& layers) {
  std::string key;
  for (const std::size_t layer : layers) {
    for (const std::string& problem : matter.graph().layers[layer].problems) key += problem + ' ';
  }
  return key;
}

std::map<std::string, SlowKind> slow_kinds(const Matter& matter) {
  std::map<std::string, SlowKind> kinds;
  for (const Loss& loss : matter.run()->losses.list) {
    const auto& layers = matter.run()->mapping.layers_of_node[loss.node];
    if (layers.empty() || loss.within_noise || loss.lost_seconds <= 0) continue;
    const ProfiledNode& node = matter.profile().nodes[loss.node];
    const std::size_t layer = layers.front();
    SlowKind& kind = kinds[node.op.empty() ? matter.graph().layers[layer].op : node.op];
    ++kind.operators;
    kind.range.low += loss.range.low;
    kind.range.high += loss.range.high;
    kind.series.add(
        {.layer = layer,
         .key = main_key(matter, layers),
         .seconds = loss.lost_seconds,
         .note = fmt::format("{} us, the fastest calls {} us", microseconds(loss.seconds),
                             microseconds(loss.bound_seconds))});
  }
  return kinds;
}

std::vector<Finding> slow_operators(const Matter& matter) {
  // Times of launches say nothing about the operators.
  if (matter.run() == nullptr || !matter.profile().launched_on.empty()) return {};
  std::vector<Finding> findings;
  for (const auto& [op, kind] : slow_kinds(matter)) {
    Remedy remedy = remedy_for_operators(matter, op);
    findings.push_back(
        {.cause = "slow operators",
         .what = fmt::format(
             "{} {} of {} longer than the fastest calls for the same layers; most is lost in {}.",
             kind.operators, op + (kind.operators == 1 ? " operator" : " operators"),
             matter.framework() + (kind.operators == 1 ? " takes" : " take"),
             kind.series.worst_text(matter)),
         .layers = kind.series.layers(),
         .gain_seconds = kind.series.seconds(),
         .interval = kind.range,
         .certainty = Certainty::estimated,
         .affects = Affects::device,
         .leads_to_seconds = matter.least_seconds(),
         .plan = matter.plan(),
         .action = std::move(remedy.action),
         .command = std::move(remedy.command)});
  }
  return findings;
}

}  // namespace

FindingKind slow_operators_kind() { return {slow_operators}; }

}  // namespace benanza::analysis
