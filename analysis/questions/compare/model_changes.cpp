#include "analysis/questions/compare/model_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// The reason why a layer does not count.
std::string reason_of(const LayerTime& time) {
  return time.gaps.empty() ? time.note : time.gaps.front().reason;
}

Bounds bounds_without(const Graph& graph, std::vector<LayerTime> times,
                      const std::vector<std::size_t>& left_out, Movement movement) {
  leave_out(times, left_out);
  return bounds(graph, times, movement);
}

void add_bound(Section& section, const std::string& name, const Bound& before, const Bound& after) {
  section.add(fmt::format(
      "LBL {:<11} {}, before {}{}", name, with_spread(after), with_spread(before),
      before.seconds > 0 ? fmt::format(": ratio {:.3f}", after.seconds / before.seconds) : ""));
  section.facts[name] = {{"before_seconds", before.seconds}, {"after_seconds", after.seconds}};
}

/// Says which layers are in neither bound.
void add_one_sided(Section& section, const Graph& graph, Movement movement,
                   const std::vector<std::size_t>& one_sided, const std::vector<LayerTime>& before,
                   const std::vector<LayerTime>& after) {
  section.facts["partial"] = is_partial(before, movement) || is_partial(after, movement);
  section.facts["one_sided_layers"] = one_sided.size();
  if (one_sided.empty()) return;
  const std::size_t first = one_sided.front();
  const bool only_before = is_counted(before[first], movement);
  section.add(fmt::format(
      "PARTIAL: {} layers have a time only before or only after and are in neither bound, as {}, "
      "{}: {}",
      one_sided.size(), graph.layers[first].name, only_before ? "after" : "before",
      reason_of((only_before ? after : before)[first])));
}

/// One layer before and after.
struct LayerChange {
  std::size_t layer = 0;
  std::optional<double> before_seconds{};
  std::optional<double> after_seconds{};
  /// Empty if it has a time on one side only.
  std::optional<double> difference{};
};

/// The largest difference first.
std::vector<LayerChange> layer_changes(const std::vector<LayerTime>& before,
                                       const std::vector<LayerTime>& after, Movement movement,
                                       const std::vector<std::size_t>& one_sided) {
  // An operator may be one call in one set and several in the other.
  const std::vector<double> old_seconds = shared_seconds(before, movement);
  const std::vector<double> new_seconds = shared_seconds(after, movement);
  const auto seconds = [&](const LayerTime& time, double shared) {
    const bool has_any = is_counted(time, movement) || time.status == LayerStatus::part;
    return has_any ? std::optional(shared) : std::nullopt;
  };
  std::vector<LayerChange> changes;
  for (std::size_t layer = 0; layer < before.size(); ++layer) {
    LayerChange change{.layer = layer,
                       .before_seconds = seconds(before[layer], old_seconds[layer]),
                       .after_seconds = seconds(after[layer], new_seconds[layer])};
    if (std::ranges::find(one_sided, layer) == one_sided.end()) {
      change.difference = new_seconds[layer] - old_seconds[layer];
    }
    if (change.before_seconds || change.after_seconds) changes.push_back(change);
  }
  std::ranges::stable_sort(changes, std::ranges::greater{}, [](const LayerChange& change) {
    return std::abs(change.difference.value_or(0));
  });
  return changes;
}

using Keys = std::set<std::string, std::less<>>;

Keys keys_that(const Changes& changes, ChangeKind became) {
  Keys keys;
  for (const Change& change : changes.problems) {
    if (change.kind == became) keys.insert(change.key);
  }
  return keys;
}

bool has_call_in(const LayerTime& time, const Keys& keys) {
  return std::ranges::any_of(
      time.calls, [&](const Measurement* call) { return keys.contains(call->variant.key); });
}

}  // namespace

ModelVerdict model_verdict(const Graph& graph, const Changes& changes, Movement movement,
                           const std::vector<LayerTime>& before,
                           const std::vector<LayerTime>& after) {
  const Keys slower = keys_that(changes, ChangeKind::slower);
  const Keys lost = keys_that(changes, ChangeKind::lost);
  const std::array both{before, after};
  const std::vector<std::size_t> one_sided = one_sided_layers(both, movement);
  ModelVerdict verdict{
      .before_seconds = bounds_without(graph, before, one_sided, movement).sequential.seconds,
      .after_seconds = bounds_without(graph, after, one_sided, movement).sequential.seconds};
  for (const std::size_t layer : one_sided) {
    // What was not measured again is not lost.
    if (has_call_in(before[layer], lost)) verdict.lost.push_back(layer);
  }
  for (const LayerChange& change : layer_changes(before, after, movement, one_sided)) {
    if (!change.difference) continue;
    ++verdict.layers;
    const double longer =
        change.after_seconds.value_or(0) - change.before_seconds.value_or(0) * changes.drift();
    const bool is_slower =
        has_call_in(before[change.layer], slower) || has_call_in(after[change.layer], slower);
    if (longer <= 0 || !is_slower) continue;
    verdict.slower.push_back(change.layer);
    verdict.slower_seconds += longer;
  }
  return verdict;
}

std::string verdict_text(const ModelVerdict& verdict, double tolerance) {
  const double change =
      verdict.before_seconds > 0 ? (verdict.after_seconds / verdict.before_seconds - 1) * 100 : 0;
  std::string text =
      fmt::format("LBL {:.1f}% {}; ", std::abs(change), change <= 0 ? "lower" : "higher");
  if (!verdict.lost.empty()) {
    text += fmt::format("{} of {} layers lost every call; ", verdict.lost.size(),
                        verdict.lost.size() + verdict.layers);
  }
  if (verdict.slower.empty()) return text + "no layer is slower";
  return text + fmt::format(
                    "{} of {} layers {} slower, by {:.3f} ms in all, {:.1f}% of the bound: "
                    "{} the tolerance of {:g}%",
                    verdict.slower.size(), verdict.layers,
                    verdict.slower.size() == 1 ? "is" : "are", verdict.slower_seconds * 1e3,
                    verdict.slower_share() * 100,
                    verdict.slower_share() > tolerance ? "more than" : "within", tolerance * 100);
}

Section model_changes_section(const Graph& graph, const MeasurementFilter& filter,
                              Movement movement, const std::vector<LayerTime>& before,
                              const std::vector<LayerTime>& after) {
  const std::array both{before, after};
  const std::vector<std::size_t> one_sided = one_sided_layers(both, movement);
  const Bounds old_bounds = bounds_without(graph, before, one_sided, movement);
  const Bounds new_bounds = bounds_without(graph, after, one_sided, movement);
  Section section = model_section(graph, filter, movement);
  add_bound(section, "sequential", old_bounds.sequential, new_bounds.sequential);
  add_bound(section, "parallel", old_bounds.parallel, new_bounds.parallel);
  add_one_sided(section, graph, movement, one_sided, before, after);
  using Row = LayerChange;
  const Table<Row> table{
      {"layer", "layer", [&](const Row& row) { return graph.layers[row.layer].name; }},
      {"op", "op", [&](const Row& row) { return graph.layers[row.layer].op; }},
      {"difference us", "difference_seconds", micro, &Row::difference},
      {"before us", "before_seconds", micro, &Row::before_seconds},
      {"after us", "after_seconds", micro, &Row::after_seconds},
      {"before", "before", [&](const Row& row) { return calls_text(before[row.layer]); }},
      {"after", "after", [&](const Row& row) { return calls_text(after[row.layer]); }}};
  section.add(table.sheet(layer_changes(before, after, movement, one_sided),
                          {.name = "layers", .caption = "what makes the difference"}));
  return section;
}

}  // namespace benanza::analysis
