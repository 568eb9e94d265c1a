#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/questions/common/answers.h"
#include "analysis/render/duration.h"

namespace benanza::analysis {
namespace {

Cell ratio_cell(std::optional<double> ratio) {
  if (!ratio) return {.shown = "-", .value = nullptr};
  return {.shown = fmt::format("{:.3f}", *ratio), .value = *ratio};
}

Cell spread_cell(const std::optional<Interval>& spread) {
  if (!spread) return {.shown = "", .value = nullptr};
  return {.shown = fmt::format("{:.3f} to {:.3f}", spread->low, spread->high),
          .value = {spread->low, spread->high}};
}

Cell call_cell(const Measurement* call, const std::string& reason) {
  if (call == nullptr) return {.shown = reason, .value = nullptr};
  return text_cell(call_text(call));
}

/// `calls`: each row is one call, the same before and after.
Sheet changes_sheet(const std::vector<Change>& changes, bool calls, bool same) {
  Sheet sheet{.name = calls ? "calls" : "problems",
              .caption = calls ? "call by call" : "",
              .columns = {{"change", "change"},
                          {"ratio", "ratio", true},
                          {"95%", "ratio_95"},
                          {"before us", "before_seconds", true},
                          {"after us", "after_seconds", true},
                          {"before", "before"},
                          {"after", "after"},
                          {"problem", "problem"}}};
  for (const Change& change : changes) {
    if (change.turn == Turn::same && !same) continue;
    sheet.rows.push_back({text_cell(std::string(to_string(change.turn))),
                          ratio_cell(change.ratio()), spread_cell(change.spread),
                          us_cell(seconds_of(change.before)), us_cell(seconds_of(change.after)),
                          call_cell(change.before, change.reason),
                          call_cell(change.after, change.reason), text_cell(change.key)});
  }
  return sheet;
}

void add_totals(Section& section, const std::string& name, const ChangeTotals& sum,
                double tolerance) {
  const std::string beyond = fmt::format("by more than {:g}%", tolerance * 100);
  section.lines.push_back(
      fmt::format("{}: {} with a time in both, {} slower {}, {} faster, {} lost, {} gained{}", name,
                  sum.compared, sum.of(Turn::slower), beyond, sum.of(Turn::faster),
                  sum.of(Turn::lost), sum.of(Turn::gained),
                  sum.median_ratio ? fmt::format("; median ratio {:.4f}", *sum.median_ratio) : ""));
  nlohmann::ordered_json& facts = section.facts[name + "_totals"];
  facts["compared"] = sum.compared;
  for (const Turn turn : turns) facts[std::string(to_string(turn))] = sum.of(turn);
  facts["median_ratio"] =
      sum.median_ratio ? nlohmann::ordered_json(*sum.median_ratio) : nlohmann::ordered_json();
}

void add_bound(Section& section, const std::string& name, const Bound& before, const Bound& after) {
  section.lines.push_back(fmt::format(
      "LBL {:<11} {}, before {}{}", name, with_spread(after), with_spread(before),
      before.seconds > 0 ? fmt::format(": ratio {:.3f}", after.seconds / before.seconds) : ""));
  section.facts[name] = {{"before_seconds", before.seconds}, {"after_seconds", after.seconds}};
}

}  // namespace

Section changes_section(const Choice& choice, const Changes& changes, double tolerance, bool same) {
  Section section{.heading = choice_text(choice)};
  add_choice_facts(choice, section.facts);
  section.facts["tolerance"] = tolerance;
  add_totals(section, "problems", totals(changes.problems), tolerance);
  add_totals(section, "calls", totals(changes.calls), tolerance);
  section.facts["only_before"] = changes.only_before;
  section.facts["only_after"] = changes.only_after;
  if (changes.only_before + changes.only_after > 0) {
    section.lines.push_back(
        fmt::format("not compared: {} problems measured only before, {} only "
                    "after",
                    changes.only_before, changes.only_after));
  }
  section.sheets.push_back(changes_sheet(changes.problems, false, same));
  section.sheets.push_back(changes_sheet(changes.calls, true, same));
  return section;
}

Section model_changes_section(const Graph& graph, const Choice& choice, Movement movement,
                              const ModelTimes& before, const ModelTimes& after) {
  Section section = model_section(graph, choice);
  section.heading = choice_heading(graph, choice, movement);
  add_bound(section, "sequential", before.bounds.sequential, after.bounds.sequential);
  add_bound(section, "parallel", before.bounds.parallel, after.bounds.parallel);

  const std::vector<double> old_seconds = counted_seconds(before.times, movement);
  const std::vector<double> new_seconds = counted_seconds(after.times, movement);
  const auto known = [](const LayerTime& time) { return time.standing != Standing::missing; };
  std::size_t one_sided = 0;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (known(before.times[layer]) != known(after.times[layer])) ++one_sided;
  }
  if (one_sided > 0) {
    section.lines.push_back(
        fmt::format("partial: {} layers have a time only before or only after", one_sided));
  }
  section.facts["one_sided_layers"] = one_sided;

  std::vector<std::size_t> order(graph.layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto difference = [&](std::size_t layer) {
    return new_seconds[layer] - old_seconds[layer];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(difference(a)) > std::abs(difference(b));
  });
  Sheet sheet{.name = "layers",
              .caption = "what makes the difference",
              .columns = {{"layer", "layer"},
                          {"op", "op"},
                          {"more us", "difference_seconds", true},
                          {"before us", "before_seconds", true},
                          {"after us", "after_seconds", true},
                          {"before", "before"},
                          {"after", "after"}}};
  for (const std::size_t layer : order) {
    if (!is_counted(before.times[layer], movement) && !is_counted(after.times[layer], movement)) {
      continue;
    }
    sheet.rows.push_back({text_cell(graph.layers[layer].name), text_cell(graph.layers[layer].op),
                          us_cell(difference(layer)), us_cell(before.times[layer].seconds),
                          us_cell(after.times[layer].seconds),
                          text_cell(calls_text(before.times[layer])),
                          text_cell(calls_text(after.times[layer]))});
  }
  section.sheets.push_back(std::move(sheet));
  return section;
}

}  // namespace benanza::analysis
