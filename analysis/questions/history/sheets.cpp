#include "analysis/questions/history/sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <tuple>

#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/compare/changes_section.h"
#include "analysis/render/junit.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// The model's bounds at one station; empty over no layers, which is not a time.
struct StationBounds {
  const Station* station = nullptr;
  std::optional<double> sequential{};
  std::optional<double> parallel{};
};

/// Layers that have a time at some of the stations only.
std::vector<std::size_t> somewhere_only(const std::vector<std::vector<LayerTime>>& times,
                                        std::size_t layers) {
  std::vector<std::size_t> found;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const auto counted = std::ranges::count_if(
        times, [&](const auto& one) { return is_counted(one[layer], Movement::exclude); });
    if (counted > 0 && counted < std::ssize(times)) found.push_back(layer);
  }
  return found;
}

/// The common change that says most: of the most serious verdict, then of the most calls.
const CommonChange* main_common(const Changes& changes) {
  const CommonChange* main = nullptr;
  for (const CommonChange& one : changes.common) {
    const auto rank = [](const CommonChange& common) {
      return std::tuple(common.listed, common.verdict, common.calls);
    };
    if (main == nullptr || rank(one) > rank(*main)) main = &one;
  }
  return main;
}

std::string event_word(const ChangeEvent& event) {
  return event.common ? change_word(*event.common) : std::string(to_string(event.change->kind));
}

std::string failure_of(const ChangeEvent& event, const std::string& since) {
  if (event.common) return common_text(*event.common) + "; compared with " + since;
  if (event.change->kind == ChangeKind::lost) return "lost: " + event.change->reason;
  return fmt::format("takes {:.3f} times as long as with {}", event.change->ratio().value_or(0),
                     since);
}

std::string event_subject(const ChangeEvent& event) {
  return event.common ? "all calls of " + event.common->backend : event.change->key;
}

std::string event_name(const ChangeEvent& event) {
  return event_subject(event) + '/' + std::string(to_string(event.precision));
}

/// A station beside the one before it; the first has none.
struct StationChange {
  const Station* station = nullptr;
  Precision precision{};
  const Changes* changes = nullptr;
  ChangeTotals sum{};
  const CommonChange* common = nullptr;
  std::size_t creeps = 0;

  StationChange(const Station* of, Precision at) : station(of), precision(at) {}
};

Sheet stations_sheet(const std::vector<StationChange>& rows) {
  using Row = StationChange;
  const auto if_compared = [](auto of) {
    return [of](const Row& row) {
      return row.changes == nullptr ? std::nullopt : std::optional(std::invoke(of, row));
    };
  };
  Table<Row> table{
      {"results", "results", [](const Row& row) { return row.station->path; }},
      {"versions", "versions", [](const Row& row) { return row.station->versions; }},
      {"precision", "precision", &Row::precision},
      {"compared", "compared", if_compared([](const Row& row) { return row.sum.compared; })}};
  for (const ChangeKind kind : {ChangeKind::slower, ChangeKind::faster, ChangeKind::lost,
                                ChangeKind::gained, ChangeKind::unknown}) {
    const std::string name(to_string(kind));
    table.add({name, name, if_compared([kind](const Row& row) { return row.sum.of(kind); })});
  }
  table.add_if(true, {{"drift", "drift", thousandths,
                       if_compared([](const Row& row) { return row.changes->drift(); })},
                      {"all calls", "all_calls", thousandths,
                       [](const Row& row) {
                         const bool is_common = row.common != nullptr && row.common->is_common();
                         return is_common ? std::optional(row.common->ratio()) : std::nullopt;
                       }},
                      {"all calls are", "common_verdict",
                       [](const Row& row) { return told_verdict(row.common); }},
                      {"creeps", "creeps", if_compared(&Row::creeps)}});
  return table.sheet(rows, {.name = "stations", .all_rows = true});
}

}  // namespace

Section model_history_section(const std::vector<Station>& stations, const Graph& graph,
                              const MeasurementFilter& filter) {
  std::vector<std::vector<LayerTime>> times;
  for (const Station& station : stations) {
    times.push_back(operator_times(graph, station.results.measurements, filter, Movement::exclude));
  }
  const std::vector<std::size_t> left_out = somewhere_only(times, graph.layers.size());
  const bool partial = std::ranges::any_of(
      times, [](const auto& one) { return is_partial(one, Movement::exclude); });
  Section section = model_section(graph, filter);
  section.facts["left_out_layers"] = left_out.size();
  section.facts["partial"] = partial;
  const auto known = [](const Bound& bound) {
    return bound.seconds > 0 ? std::optional(bound.seconds) : std::nullopt;
  };
  using Row = StationBounds;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < times.size(); ++i) {
    leave_out(times[i], left_out);
    const Bounds found = bounds(graph, times[i], Movement::exclude);
    rows.push_back({&stations[i], known(found.sequential), known(found.parallel)});
  }
  section.add(bars(
      {.title = section.heading + ": LBL, ms", .series = {{"LBL"}}, .unit = "ms"}, rows,
      [](const Row& row) { return station_name(*row.station); },
      [](const Row& row) { return in_ms(row.sequential); }));
  const Table<Row> table{
      {"results", "results", [](const Row& row) { return row.station->path; }},
      {"versions", "versions", [](const Row& row) { return row.station->versions; }},
      {"LBL ms", "sequential_seconds", milli, &Row::sequential},
      {"parallel ms", "parallel_seconds", milli, &Row::parallel},
      {"of the first", "ratio", thousandths,
       [&](const Row& row) { return quotient(row.sequential, rows.front().sequential); }}};
  section.add(table.sheet(rows, {.name = "bounds", .all_rows = true}));
  if (!left_out.empty()) {
    section.add(
        fmt::format("{} layers have no time in some of the results and are in no bound, as {}",
                    left_out.size(), graph.layers[left_out.front()].name));
  } else if (partial) {
    section.add("Partial: layers have no time in any of the results, and are in no bound.");
  }
  return section;
}

Section versions_section(const std::vector<Station>& stations, const ChronicleOptions& options,
                         const Chronicle& chronicle) {
  Section section{.heading = "Versions", .csv_facts = {}};
  section.facts["tolerance"] = options.tolerance;
  section.facts["window"] = options.window;
  section.facts["false_alarm_level"] = false_alarm_level;
  std::vector<StationChange> rows;
  std::vector<std::string> sentences;
  for (std::size_t f = 0; f < options.filters.size(); ++f) {
    const Precision precision = options.filters[f].precision;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      StationChange& row = rows.emplace_back(&stations[i], precision);
      if (i == 0) continue;
      row.changes = &chronicle.compared[f][i - 1];
      row.sum = totals(row.changes->problems);
      row.common = main_common(*row.changes);
      row.creeps = chronicle.creeps(precision, i);
      for (const CommonChange& one : row.changes->common) {
        if (one.verdict == CommonVerdict::none) continue;
        sentences.push_back(station_name(stations[i]) + ": " + common_text(one));
      }
    }
  }
  section.add(stations_sheet(rows));
  section.add(fmt::format(
      "Each is compared with the one before, as `compare` does, and with the {} before it for "
      "what adds up (creeps); slower and faster are relative to the drift, which is the machine's "
      "where a reference tells it, else 1.",
      options.window));
  for (std::string& sentence : sentences) section.add(std::move(sentence));
  return section;
}

Section events_section(const std::vector<Station>& stations, const Chronicle& chronicle) {
  Section section{.heading = "Changes", .csv_facts = {}};
  using Row = ChangeEvent;
  const auto of_change = [](auto of, const Measurement* Change::*which) {
    return [of, which](const Row& row) {
      return row.change ? std::optional(of(*row.change.*which)) : std::nullopt;
    };
  };
  const auto seconds_at = [](const Measurement* Change::*which) {
    return [which](const Row& row) {
      return row.change ? seconds_of(*row.change.*which) : std::nullopt;
    };
  };
  const Table<Row> table{
      {"with", "results", [&](const Row& row) { return station_name(stations[row.to]); }},
      {"since", "since", [&](const Row& row) { return station_name(stations[row.since]); }},
      {"change", "change", event_word},
      {"precision", "precision", &Row::precision},
      {"ratio", "ratio", thousandths,
       [](const Row& row) {
         return row.common ? std::optional(row.common->ratio()) : row.change->ratio();
       }},
      {"before us", "before_seconds", micro, seconds_at(&Change::before)},
      {"after us", "after_seconds", micro, seconds_at(&Change::after)},
      {"before", "before", of_change(call_text, &Change::before)},
      {"after", "after", of_change(call_text, &Change::after)},
      {"problem", "problem", event_subject}};
  if (chronicle.events.empty()) section.add("No problem changed.");
  section.add(table.sheet(chronicle.events, {.name = "changes"}));
  for (const ChangeEvent& event : chronicle.events) {
    if (!event.common || !event.is_creep()) continue;
    section.add(station_name(stations[event.to]) + ", since " +
                station_name(stations[event.since]) + ": " + common_text(*event.common));
  }
  return section;
}

Section fleet_section(const std::vector<Station>& stations, const MeasurementFilter& filter,
                      const Fleet& fleet) {
  Section section{.heading = "Fleet, " + filter_text(filter), .csv_facts = {}};
  const auto& members = fleet.members;
  const Table<std::size_t> table{
      {"results", "results", [&](std::size_t i) { return stations[i].path; }},
      {"calls", "calls", [&](std::size_t i) { return members[i].calls; }},
      {"median ratio to its peers", "median_ratio", thousandths,
       [&](std::size_t i) { return members[i].ratio; }},
      {"verdict", "verdict", [&](std::size_t i) { return member_text(members[i]); }}};
  section.facts["calls"] = fleet.calls;
  section.facts["majority"] = fleet.has_majority;
  section.add(table.sheet(std::views::iota(std::size_t{0}, members.size()),
                          {.name = "fleet", .all_rows = true}));
  if (!fleet.has_majority && fleet.calls >= least_calls_of_drift) {
    section.add(
        "More than half of the machines would have to be equally fast to tell which of them is "
        "not; their ratios are to the fastest.");
  }
  return section;
}

std::string junit_of(const std::vector<Station>& stations, const Chronicle& chronicle) {
  std::vector<JunitCase> cases;
  for (const ChangeEvent& event : chronicle.events) {
    JunitCase one{
        .group = station_name(stations[event.to]), .name = event_name(event), .failure = {}};
    if (event.is_worse()) one.failure = failure_of(event, station_name(stations[event.since]));
    cases.push_back(std::move(one));
  }
  cases.push_back({.group = "all",
                   .name = fmt::format("{} that did not change", chronicle.steady),
                   .failure = {}});
  return junit_document(junit_suite("benanza-analyze.history", cases));
}

std::string junit_of(const std::vector<Station>& stations, const std::vector<Fleet>& fleets) {
  std::vector<JunitCase> cases;
  for (const Fleet& fleet : fleets) {
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const FleetMember& member = fleet.members[i];
      cases.push_back({.group = "fleet",
                       .name = stations[i].path + '/' + std::string(to_string(fleet.precision)),
                       .failure = member.is_worse() ? member_text(member) : ""});
    }
  }
  return junit_document(junit_suite("benanza-analyze.fleet", cases));
}

}  // namespace benanza::analysis
