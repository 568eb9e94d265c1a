#include "analysis/questions/history/sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/questions/common/subject.h"
#include "analysis/questions/compare/common_sheet.h"
#include "analysis/render/junit.h"

namespace benanza::analysis {
namespace {

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

std::string event_name(const ChangeEvent& event) {
  return (event.common ? "all calls of " + event.common->backend : event.change->key) + '/' +
         std::string(to_string(event.precision));
}

}  // namespace

Section versions_section(const std::vector<Station>& stations, const ChronicleOptions& options,
                         const Chronicle& chronicle) {
  Section section{.heading = "Versions", .csv_facts = {}};
  section.facts["tolerance"] = options.tolerance;
  section.facts["window"] = options.window;
  section.facts["false_alarm_level"] = false_alarm_level;
  Sheet sheet{.name = "stations",
              .columns = {{"results", "results"},
                          {"versions", "versions"},
                          {"precision", "precision"},
                          {"compared", "compared", true},
                          {"slower", "slower", true},
                          {"faster", "faster", true},
                          {"lost", "lost", true},
                          {"gained", "gained", true},
                          {"unknown", "unknown", true},
                          {"drift", "drift", true},
                          {"all calls", "all_calls", true},
                          {"all calls are", "common_verdict"},
                          {"creeps", "creeps", true}},
              .all_rows = true};
  std::vector<std::string> sentences;
  for (std::size_t f = 0; f < options.filters.size(); ++f) {
    const Precision precision = options.filters[f].precision;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      std::vector<Cell> row{text_cell(stations[i].path), text_cell(stations[i].versions),
                            text_cell(std::string(to_string(precision)))};
      if (i == 0) {
        row.resize(sheet.columns.size(), {"-", nullptr});
        sheet.rows.push_back(std::move(row));
        continue;
      }
      const Changes& changes = chronicle.compared[f][i - 1];
      const ChangeTotals sum = totals(changes.problems);
      row.push_back(count_cell(sum.compared));
      for (const ChangeKind kind : {ChangeKind::slower, ChangeKind::faster, ChangeKind::lost,
                                    ChangeKind::gained, ChangeKind::unknown}) {
        row.push_back(count_cell(sum.of(kind)));
      }
      const CommonChange* const common = main_common(changes);
      row.push_back(ratio_cell(changes.drift()));
      row.push_back(ratio_cell(common != nullptr && common->is_common()
                                   ? std::optional(common->ratio())
                                   : std::nullopt));
      row.push_back(verdict_cell(common));
      row.push_back(count_cell(chronicle.creeps(precision, i)));
      sheet.rows.push_back(std::move(row));
      for (const CommonChange& one : changes.common) {
        if (one.verdict == CommonVerdict::none) continue;
        sentences.push_back(station_name(stations[i]) + ": " + common_text(one));
      }
    }
  }
  section.add(std::move(sheet));
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
  Sheet sheet{.name = "changes",
              .columns = {{"with", "results"},
                          {"since", "since"},
                          {"change", "change"},
                          {"precision", "precision"},
                          {"ratio", "ratio", true},
                          {"before us", "before_seconds", true},
                          {"after us", "after_seconds", true},
                          {"before", "before"},
                          {"after", "after"},
                          {"problem", "problem"}}};
  for (const ChangeEvent& event : chronicle.events) {
    std::vector<Cell> row{
        text_cell(station_name(stations[event.to])), text_cell(station_name(stations[event.since])),
        text_cell(event_word(event)), text_cell(std::string(to_string(event.precision)))};
    if (event.common) {
      row.push_back(ratio_cell(event.common->ratio()));
      row.resize(sheet.columns.size() - 1, {"-", nullptr});
      row.push_back(text_cell("all calls of " + event.common->backend));
    } else {
      const Change& change = *event.change;
      row.insert(row.end(), {ratio_cell(change.ratio()), us_cell(seconds_of(change.before)),
                             us_cell(seconds_of(change.after)), text_cell(call_text(change.before)),
                             text_cell(call_text(change.after)), text_cell(change.key)});
    }
    sheet.rows.push_back(std::move(row));
  }
  if (sheet.rows.empty()) section.add("No problem changed.");
  section.add(std::move(sheet));
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
  Sheet sheet{.name = "fleet",
              .columns = {{"results", "results"},
                          {"calls", "calls", true},
                          {"median ratio to its peers", "median_ratio", true},
                          {"verdict", "verdict"}},
              .all_rows = true};
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const FleetMember& member = fleet.members[i];
    sheet.rows.push_back({text_cell(stations[i].path), count_cell(member.calls),
                          ratio_cell(member.ratio), text_cell(member_text(member))});
  }
  section.facts["calls"] = fleet.calls;
  section.facts["majority"] = fleet.has_majority;
  section.add(std::move(sheet));
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
