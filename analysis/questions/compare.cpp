// benanza-analyze compare: changes between two sets of results.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>

#include "analysis/input/one_device.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/compare/changes.h"
#include "analysis/questions/compare/common_sheet.h"
#include "analysis/questions/compare/judge.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

/// A model's times in one set of results.
struct ModelTimes {
  std::vector<LayerTime> times{};
  /// Over the layers that have a time in both sets.
  Bounds bounds{};
};

/// The reason why a layer does not count.
std::string reason_of(const LayerTime& time) {
  return time.gaps.empty() ? time.note : time.gaps.front().reason;
}

Bounds bounds_without(const Graph& graph, std::vector<LayerTime> times,
                      const std::vector<std::size_t>& left_out, Movement movement) {
  leave_out(times, left_out);
  return bounds(graph, times, movement);
}

/// The call, or why there is none.
auto call_or_reason(const Measurement* Change::*which) {
  return [which](const Change& change) {
    const Measurement* const call = change.*which;
    return call == nullptr ? Cell{.shown = change.reason, .value = nullptr} : cell(call_text(call));
  };
}

/// `calls`: each row is the same call before and after. `same`: include unchanged rows.
Sheet changes_sheet(const std::vector<Change>& changes, bool calls, bool same) {
  std::vector<Change> listed;
  std::ranges::copy_if(changes, std::back_inserter(listed), [&](const Change& change) {
    return change.kind != ChangeKind::same || change.apart || same;
  });
  const Table<Change> table{
      {"change", "change", &Change::kind},
      {"ratio", "ratio", thousandths, &Change::ratio},
      {"ratio 95%", "ratio_95", &Change::spread},
      {"beside all", "beside_all", thousandths, &Change::beside_common},
      {"before us", "before_seconds", micro,
       [](const Change& one) { return seconds_of(one.before); }},
      {"after us", "after_seconds", micro, [](const Change& one) { return seconds_of(one.after); }},
      {"before", "before", call_or_reason(&Change::before)},
      {"after", "after", call_or_reason(&Change::after)},
      {"problem", "problem", &Change::key}};
  return table.sheet(
      listed, {.name = calls ? "calls" : "problems", .caption = calls ? "call by call" : ""});
}

/// The rows of CSV: a common change is one, before the problems.
Sheet csv_of(const Changes& changes, const Sheet& problems) {
  Sheet sheet = problems;
  std::vector<std::vector<Cell>> rows;
  for (const CommonChange& one : changes.common) {
    if (one.verdict == CommonVerdict::none) continue;
    std::vector<Cell>& row = rows.emplace_back(sheet.columns.size(), unknown_cell());
    row[0] = cell(change_word(one));
    row[1] = cell(one.ratio(), thousandths);
    row[2] = cell(ratios(one.interval));
    row[3] = cell(1.0, thousandths);
    row.back() = cell("all calls of " + one.backend);
  }
  sheet.rows.insert(sheet.rows.begin(), rows.begin(), rows.end());
  return sheet;
}

void add_common(Section& section, const Changes& changes) {
  for (const CommonChange& one : changes.common) {
    if (one.verdict != CommonVerdict::none) section.add("in common: " + common_text(one));
  }
  if (!changes.common.empty()) section.add(common_sheet(changes.common));
  section.facts["drift"] = changes.drift();
}

void add_totals(Section& section, const std::string& name, const ChangeTotals& sum,
                double tolerance) {
  const std::string beyond = fmt::format("by more than {:g}%", tolerance * 100);
  section.add(fmt::format(
      "{}: {} with a time in both, {} slower {}, {} faster, {} unknown, {} lost, {} gained{}{}",
      name, sum.compared, sum.of(ChangeKind::slower), beyond, sum.of(ChangeKind::faster),
      sum.of(ChangeKind::unknown), sum.of(ChangeKind::lost), sum.of(ChangeKind::gained),
      sum.with_common > 0 ? fmt::format("; {} as all calls", sum.with_common) : "",
      sum.median_ratio ? fmt::format("; median ratio {:.4f}", *sum.median_ratio) : ""));
  nlohmann::ordered_json& facts = section.facts[name + "_totals"];
  facts["compared"] = sum.compared;
  for (const ChangeKind kind : change_kinds) facts[std::string(to_string(kind))] = sum.of(kind);
  facts["as_all_calls"] = sum.with_common;
  facts["median_ratio"] = sum.median_ratio;
}

void add_bound(Section& section, const std::string& name, const Bound& before, const Bound& after) {
  section.add(fmt::format(
      "LBL {:<11} {}, before {}{}", name, with_spread(after), with_spread(before),
      before.seconds > 0 ? fmt::format(": ratio {:.3f}", after.seconds / before.seconds) : ""));
  section.facts[name] = {{"before_seconds", before.seconds}, {"after_seconds", after.seconds}};
}

/// Two sets of results at one precision: what became slower, faster, and so on. `same`: include
/// unchanged rows.
Section changes_section(const MeasurementFilter& filter, const Changes& changes, double tolerance,
                        bool same) {
  Section section{.heading = filter_text(filter)};
  add_filter_facts(filter, section.facts);
  section.facts["tolerance"] = tolerance;
  add_totals(section, "problems", totals(changes.problems), tolerance);
  add_totals(section, "calls", totals(changes.calls), tolerance);
  if (totals(changes.problems).of(ChangeKind::unknown) +
          totals(changes.calls).of(ChangeKind::unknown) >
      0) {
    section.add(fmt::format(
        "unknown: farther apart than the tolerance, but the repetitions (at least {} are "
        "needed) differ too much to tell a change from chance",
        least_repetitions));
  }
  const auto crowded = std::ranges::count_if(changes.calls, [](const Change& change) {
    return change.kind == ChangeKind::unknown && is_crowded(change);
  });
  section.facts["crowded_calls"] = crowded;
  if (crowded > 0) {
    section.add(fmt::format(
        "{} of the unknown calls were measured beside other programs: measure again on a quiet "
        "machine, or both in turns with benanza-regress",
        crowded));
  }
  if (changes.told_from) {
    section.add(
        fmt::format("within one process: another process of the same program may differ as much; "
                    "ratios up to {:.2f} are not told from that (--processes measures in several)",
                    *changes.told_from));
  }
  section.facts["told_from_ratio"] = changes.told_from;
  section.facts["false_alarm_level"] = false_alarm_level;
  section.facts["other_backends"] = changes.other_backends;
  section.facts["only_before"] = changes.only_before;
  section.facts["only_after"] = changes.only_after;
  if (changes.only_before + changes.only_after > 0) {
    section.add(
        fmt::format("not compared: {} problems measured only before, {} only "
                    "after",
                    changes.only_before, changes.only_after));
  }
  if (changes.other_backends > 0) {
    section.add(
        fmt::format("not compared: {} problems measured by other libraries before than after",
                    changes.other_backends));
  }
  add_common(section, changes);
  Sheet problems = changes_sheet(changes.problems, false, same);
  section.csv = csv_of(changes, problems);
  section.add(std::move(problems));
  section.add(changes_sheet(changes.calls, true, same));
  return section;
}

/// Says which layers are in neither bound.
void add_one_sided(Section& section, const Graph& graph, Movement movement,
                   const std::vector<std::size_t>& one_sided, const ModelTimes& before,
                   const ModelTimes& after) {
  section.facts["partial"] =
      is_partial(before.times, movement) || is_partial(after.times, movement);
  section.facts["one_sided_layers"] = one_sided.size();
  if (one_sided.empty()) return;
  const std::size_t first = one_sided.front();
  const bool only_before = is_counted(before.times[first], movement);
  section.add(fmt::format(
      "PARTIAL: {} layers have a time only before or only after and are in neither bound, as {}, "
      "{}: {}",
      one_sided.size(), graph.layers[first].name, only_before ? "after" : "before",
      reason_of((only_before ? after : before).times[first])));
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

/// A model's bounds from two sets of results, and the layers that make the difference.
Section model_changes_section(const Graph& graph, const MeasurementFilter& filter,
                              Movement movement, ModelTimes before, ModelTimes after) {
  const std::array both{before.times, after.times};
  const std::vector<std::size_t> one_sided = one_sided_layers(both, movement);
  before.bounds = bounds_without(graph, before.times, one_sided, movement);
  after.bounds = bounds_without(graph, after.times, one_sided, movement);
  Section section = model_section(graph, filter, movement);
  add_bound(section, "sequential", before.bounds.sequential, after.bounds.sequential);
  add_bound(section, "parallel", before.bounds.parallel, after.bounds.parallel);
  add_one_sided(section, graph, movement, one_sided, before, after);
  using Row = LayerChange;
  const Table<Row> table{
      {"layer", "layer", [&](const Row& row) { return graph.layers[row.layer].name; }},
      {"op", "op", [&](const Row& row) { return graph.layers[row.layer].op; }},
      {"difference us", "difference_seconds", micro, &Row::difference},
      {"before us", "before_seconds", micro, &Row::before_seconds},
      {"after us", "after_seconds", micro, &Row::after_seconds},
      {"before", "before", [&](const Row& row) { return calls_text(before.times[row.layer]); }},
      {"after", "after", [&](const Row& row) { return calls_text(after.times[row.layer]); }}};
  section.add(table.sheet(layer_changes(before.times, after.times, movement, one_sided),
                          {.name = "layers", .caption = "what makes the difference"}));
  return section;
}

struct Options {
  CommonFlags common;
  std::string before;
  std::string after;
  double tolerance_percent = 5;
  bool all = false;
  bool fail = false;
};

/// "cudnn: cudnn_version 9.14.0, now 9.19.0": one line per library, including libraries in only one
/// of the sets.
std::vector<std::string> system_changes(const Results& before, const Results& after) {
  std::vector<std::string> lines;
  for (const auto& [backend, system] : before.systems) {
    const auto now = after.systems.find(backend);
    if (now == after.systems.end()) {
      lines.push_back(backend + ": only before");
      continue;
    }
    std::string line;
    for (const auto& [field, old_value, new_value] : benanza::differences(system, now->second)) {
      line += fmt::format("{}{} {}, now {}", line.empty() ? "" : "; ", field,
                          old_value.value_or("not stated"), new_value.value_or("not stated"));
    }
    lines.push_back(backend + ": " + (line.empty() ? "the same system" : line));
  }
  for (const auto& [backend, system] : after.systems) {
    if (!before.systems.contains(backend)) lines.push_back(backend + ": only after");
  }
  return lines;
}

ModelTimes model_times(const Graph& graph, const Results& results, const MeasurementFilter& filter,
                       const Options& options, const std::string& path) {
  ModelTimes model{
      .times = operator_times(graph, results.measurements, filter, movement_of(options.common))};
  if (!options.common.allow_missing) {
    require_complete(graph, model.times, std::string(to_string(filter.precision)) + ", " + path);
  }
  return model;
}

struct Answered {
  Page page{.command = "compare"};
  std::size_t slower = 0;
  std::size_t lost = 0;
  /// Listed common changes for the worse.
  std::vector<CommonChange> common{};

  bool is_worse() const { return slower + lost + common.size() > 0; }
};

Error nothing_in_common(const Options& options, const std::string& where) {
  return Error(options.before + " and " + options.after + ": no problem has a time" + where +
               " and was measured in both; measure the same models with both");
}

/// At the precisions that were asked for, or at all.
std::vector<MeasurementFilter> filters_of(const CommonFlags& flags) {
  std::vector<MeasurementFilter> filters;
  for (const std::string& precision : flags.precisions) {
    filters.push_back(filter_of(flags, precision));
  }
  if (!filters.empty()) return filters;
  for (const Precision precision : all_precisions) {
    filters.push_back(filter_of(flags, std::string(to_string(precision))));
  }
  return filters;
}

Answered answer_compare(const Options& options) {
  const CommonFlags& flags = options.common;
  const double tolerance = options.tolerance_percent / 100;
  const Movement movement = movement_of(flags);
  const std::vector<MeasurementFilter> filters = filters_of(flags);
  std::vector<Graph> graphs;
  for (const std::string& path : flags.graphs) graphs.push_back(read_graph(path));
  const std::optional<KeySet> wanted =
      graphs.empty() ? std::nullopt : std::optional(problem_keys(graphs));
  Results before = read_results({options.before}, wanted);
  Results after = read_results({options.after}, wanted);

  Answered answered;
  answered.page.note = keep_one_device(std::array{&before, &after}, first_backend(flags));
  const auto keep_residual = keeping_residual(graphs);
  const Witnesses told = witnesses(before, after);

  for (const auto& [backend, system] : after.systems) answered.page.systems[backend] = system;
  const std::vector<std::string> lines = system_changes(before, after);
  for (const MeasurementFilter& filter : filters) {
    const Changes found = changes(before.measurements, after.measurements, filter, tolerance,
                                  keep_residual, {.witnesses = told});
    if (found.problems.empty() && found.calls.empty()) {
      if (flags.precisions.empty()) continue;
      throw nothing_in_common(options, " at " + std::string(to_string(filter.precision)));
    }
    answered.slower += totals(found.problems).of(ChangeKind::slower);
    answered.lost += totals(found.problems).of(ChangeKind::lost);
    std::ranges::copy_if(found.common, std::back_inserter(answered.common),
                         &CommonChange::is_worse);
    Section section = changes_section(filter, found, tolerance, options.all);
    section.blocks.insert(section.blocks.begin(), lines.begin(), lines.end());
    section.facts["systems_before"] = before.systems;
    answered.page.sections.push_back(std::move(section));
    for (const Graph& graph : graphs) {
      answered.page.sections.push_back(model_changes_section(
          graph, filter, movement, model_times(graph, before, filter, options, options.before),
          model_times(graph, after, filter, options, options.after)));
    }
  }
  if (answered.page.sections.empty()) throw nothing_in_common(options, "");
  return answered;
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  CommonFlags& common = options->common;
  flags.add("before", options->before, "Results of one library, version or machine", "FILE|DIR|DB");
  flags.add("after", options->after, "Results of another", "FILE|DIR|DB");
  flags.add("--graph", common.graphs,
            "<model>.graph.json: only its problems, and its bound before and after", "FILE");
  add_filter_flags(flags, common, "");
  add_output_flags(flags, common);
  flags.add("--tolerance", options->tolerance_percent, 0.0, 1000.0,
            "Differences of up to this many percent count as equal");
  flags.add("--all", options->all, "List unchanged rows, too");
  flags.add("--fail", options->fail,
            "Exit with an error if a problem is slower or was lost, or if all calls together take "
            "longer by more than the machine does");
  return [options] {
    const std::size_t rows = rows_of(options->common);
    const Answered answered = answer_compare(*options);
    print(page_text(answered.page, options->common.format, rows));
    if (!options->fail || !answered.is_worse()) return;
    throw Error(fmt::format("{} problems are slower by more than {:g}%, {} are lost{}",
                            answered.slower, options->tolerance_percent, answered.lost,
                            answered.common.empty() ? "" : "; " + common_text(answered.common[0])));
  };
}

}  // namespace

Question compare_question() {
  return {.name = "compare",
          .help = "What became slower, faster, lost or gained between two sets of results",
          .ask = ask};
}

}  // namespace benanza::analysis
