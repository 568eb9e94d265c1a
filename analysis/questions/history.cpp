// benanza-analyze history: results of successive versions, and where times changed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "analysis/input/one_device.h"
#include "analysis/model/whole.h"
#include "analysis/questions/compare/changes.h"
#include "analysis/questions/question.h"
#include "analysis/render/junit.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct Options {
  CommonFlags common;
  std::vector<std::string> paths;
  double tolerance_percent = 5;
  std::string junit;
  std::string html;
  bool fleet = false;
  bool fail = false;
};

/// One set of results.
struct Station {
  std::string path;
  Results results;
  /// "onednn 2.6.3", for every backend.
  std::string versions;
};

std::string versions_of(const Results& results) {
  std::string text;
  for (const auto& [backend, system] : results.systems) {
    text += (text.empty() ? "" : ", ") + library_name(backend, system);
  }
  return text;
}

std::string name_of(const Station& station) {
  return std::filesystem::path(station.path).filename().string() + " (" + station.versions + ")";
}

/// A problem whose time changed between two successive stations.
struct Step {
  std::size_t to = 0;
  Precision precision{};
  Change change{};
  double drift = 1;
};

struct History {
  std::vector<Station> stations;
  /// What keep_one_device() says.
  std::string left_out;
  std::vector<MeasurementFilter> filters;
  std::vector<Graph> graphs;
  /// Changes other than `same` and `unknown`.
  std::vector<Step> steps;
  /// compared[f][i]: by filter f, station i + 1 compared with station i.
  std::vector<std::vector<Changes>> compared;
  /// Number of comparisons without a change: these tests passed.
  std::size_t steady = 0;
};

bool is_worse(const Step& step) {
  return step.change.kind == ChangeKind::slower || step.change.kind == ChangeKind::lost;
}

History read_history(const Options& options) {
  History history;
  for (const std::string& path : options.common.graphs) history.graphs.push_back(read_graph(path));
  const std::optional<KeySet> wanted =
      history.graphs.empty() ? std::nullopt : std::optional(problem_keys(history.graphs));
  for (const std::string& path : options.paths) {
    history.stations.push_back({path, read_results({path}, wanted), ""});
  }
  std::vector<Results*> all;
  for (Station& station : history.stations) all.push_back(&station.results);
  history.left_out = keep_one_device(all, first_backend(options.common));
  for (Station& station : history.stations) station.versions = versions_of(station.results);
  for (const std::string& precision : options.common.precisions) {
    history.filters.push_back(filter_of(options.common, precision));
  }
  return history;
}

void add_steps(History& history, double tolerance) {
  const auto keep_residual = keeping_residual(history.graphs);
  for (const MeasurementFilter& filter : history.filters) {
    std::vector<Changes>& all = history.compared.emplace_back();
    for (std::size_t i = 1; i < history.stations.size(); ++i) {
      all.push_back(changes(history.stations[i - 1].results.measurements,
                            history.stations[i].results.measurements, filter, tolerance,
                            keep_residual));
      for (const Change& change : all.back().problems) {
        if (change.kind == ChangeKind::same || change.kind == ChangeKind::unknown) {
          ++history.steady;
          continue;
        }
        history.steps.push_back({i, filter.precision, change, all.back().drift});
      }
    }
  }
}

Section overview(const History& history, double tolerance) {
  Section section{.heading = "Versions", .csv_facts = {}};
  section.facts["tolerance"] = tolerance;
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
                          {"drift", "drift", true}},
              .all_rows = true};
  for (std::size_t f = 0; f < history.filters.size(); ++f) {
    for (std::size_t i = 0; i < history.stations.size(); ++i) {
      std::vector<Cell> row{text_cell(history.stations[i].path),
                            text_cell(history.stations[i].versions),
                            text_cell(std::string(to_string(history.filters[f].precision)))};
      if (i == 0) {
        while (row.size() < sheet.columns.size()) row.push_back({"-", nullptr});
      } else {
        const Changes& changes = history.compared[f][i - 1];
        const ChangeTotals sum = totals(changes.problems);
        row.push_back(count_cell(sum.compared));
        for (const ChangeKind kind : {ChangeKind::slower, ChangeKind::faster, ChangeKind::lost,
                                      ChangeKind::gained, ChangeKind::unknown}) {
          row.push_back(count_cell(sum.of(kind)));
        }
        row.push_back(ratio_cell(changes.drift));
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  section.add(std::move(sheet));
  section.add(
      "Each is compared with the one before, as `compare` does; slower and faster are relative to "
      "the drift that all calls have in common.");
  return section;
}

/// Bounds of a model at all stations. Layers without a time at one of them are left out of all.
Section model_section_of(const History& history, const Graph& graph,
                         const MeasurementFilter& filter) {
  std::vector<std::vector<LayerTime>> times;
  for (const Station& station : history.stations) {
    times.push_back(operator_times(graph, station.results.measurements, filter, Movement::exclude));
  }
  std::vector<std::size_t> left_out;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const auto counted = std::ranges::count_if(
        times, [&](const auto& one) { return is_counted(one[layer], Movement::exclude); });
    if (counted > 0 && counted < std::ssize(times)) left_out.push_back(layer);
  }
  Section section = model_section(graph, filter);
  section.facts["left_out_layers"] = left_out.size();
  section.csv_facts = {"model", "batch", "precision"};
  Sheet sheet{.name = "bounds",
              .columns = {{"results", "results"},
                          {"versions", "versions"},
                          {"LBL ms", "sequential_seconds", true},
                          {"parallel ms", "parallel_seconds", true},
                          {"of the first", "ratio", true}},
              .all_rows = true};
  Bars bars{.title = section.heading + ": LBL, ms", .series = {{"LBL", {}}}, .unit = "ms"};
  const bool partial = std::ranges::any_of(
      times, [](const auto& one) { return is_partial(one, Movement::exclude); });
  section.facts["partial"] = partial;
  // A sum over no layers is not a time.
  const auto known = [](const Bound& bound) {
    return bound.seconds > 0 ? std::optional(bound.seconds) : std::nullopt;
  };
  const auto in_ms = [](std::optional<double> seconds) {
    return seconds ? std::optional(*seconds * 1e3) : std::nullopt;
  };
  std::optional<double> first;
  for (std::size_t i = 0; i < times.size(); ++i) {
    leave_out(times[i], left_out);
    const Bounds found = bounds(graph, times[i], Movement::exclude);
    const std::optional<double> seconds = known(found.sequential);
    if (i == 0) first = seconds;
    const Station& station = history.stations[i];
    sheet.rows.push_back(
        {text_cell(station.path), text_cell(station.versions), ms_cell(seconds),
         ms_cell(known(found.parallel)),
         ratio_cell(seconds && first ? std::optional(*seconds / *first) : std::nullopt)});
    bars.categories.push_back(name_of(station));
    bars.series[0].values.push_back(in_ms(seconds));
  }
  section.add(std::move(bars));
  section.add(std::move(sheet));
  if (!left_out.empty()) {
    section.add(
        fmt::format("{} layers have no time in some of the results and are in no bound, as {}",
                    left_out.size(), graph.layers[left_out.front()].name));
  } else if (partial) {
    section.add("Partial: layers have no time in any of the results, and are in no bound.");
  }
  return section;
}

Section steps_section(const History& history) {
  Section section{.heading = "Changes", .csv_facts = {}};
  Sheet sheet{.name = "changes",
              .columns = {{"with", "results"},
                          {"change", "change"},
                          {"precision", "precision"},
                          {"ratio", "ratio", true},
                          {"before us", "before_seconds", true},
                          {"after us", "after_seconds", true},
                          {"before", "before"},
                          {"after", "after"},
                          {"problem", "problem"}}};
  for (const Step& step : history.steps) {
    sheet.rows.push_back({text_cell(name_of(history.stations[step.to])),
                          text_cell(std::string(to_string(step.change.kind))),
                          text_cell(std::string(to_string(step.precision))),
                          ratio_cell(step.change.ratio()), us_cell(seconds_of(step.change.before)),
                          us_cell(seconds_of(step.change.after)),
                          text_cell(call_text(step.change.before)),
                          text_cell(call_text(step.change.after)), text_cell(step.change.key)});
  }
  if (sheet.rows.empty()) section.add("No problem changed.");
  section.add(std::move(sheet));
  return section;
}

/// Compares every station with the median of the others, call by call: the nodes of a fleet.
Section fleet_section(const History& history, const MeasurementFilter& filter, double tolerance) {
  Section section{.heading = "Fleet, " + filter_text(filter), .csv_facts = {}};
  Sheet sheet{.name = "fleet",
              .columns = {{"results", "results"},
                          {"calls", "calls", true},
                          {"median ratio to its peers", "median_ratio", true},
                          {"verdict", "verdict"}},
              .all_rows = true};
  /// Times of a call by station; stations without one are left out.
  std::map<std::string, std::vector<std::pair<std::size_t, double>>> times;
  for (std::size_t i = 0; i < history.stations.size(); ++i) {
    const MeasurementSet& set = history.stations[i].results.measurements;
    for (const std::string_view key : set.keys()) {
      for (const Measurement& one : set.find(key)) {
        if (one.status != Status::ok || !admits(filter, filter.precision, one)) continue;
        times[to_string(one.variant)].emplace_back(i, one.seconds());
      }
    }
  }
  std::vector<std::vector<double>> ratios(history.stations.size());
  for (const auto& [name, all] : times) {
    if (all.size() != history.stations.size()) continue;
    for (const auto& [station, seconds] : all) {
      std::vector<double> peers;
      for (const auto& [other, value] : all) {
        if (other != station) peers.push_back(value);
      }
      ratios[station].push_back(seconds / median(peers));
    }
  }
  for (std::size_t i = 0; i < history.stations.size(); ++i) {
    const bool known = ratios[i].size() >= least_calls_of_drift;
    const std::optional<double> centre = known ? std::optional(median(ratios[i])) : std::nullopt;
    std::string verdict = "too few calls in common";
    if (centre) {
      const double percent = (*centre - 1) * 100;
      verdict = std::abs(*centre - 1) <= tolerance
                    ? "as fast as its peers"
                    : fmt::format("{:.1f}% {} than its peers", std::abs(percent),
                                  percent > 0 ? "slower" : "faster");
    }
    sheet.rows.push_back({text_cell(history.stations[i].path), count_cell(ratios[i].size()),
                          ratio_cell(centre), text_cell(verdict)});
  }
  section.add(std::move(sheet));
  return section;
}

std::string junit_of(const History& history) {
  std::vector<JunitCase> cases;
  for (const Step& step : history.steps) {
    JunitCase one{.group = name_of(history.stations[step.to]),
                  .name = step.change.key + '/' + std::string(to_string(step.precision)),
                  .failure = {}};
    if (is_worse(step)) {
      one.failure = step.change.kind == ChangeKind::lost
                        ? "lost: " + step.change.reason
                        : fmt::format("takes {:.3f} times as long as with {}",
                                      step.change.ratio().value_or(0),
                                      name_of(history.stations[step.to - 1]));
    }
    cases.push_back(std::move(one));
  }
  cases.push_back({.group = "all",
                   .name = fmt::format("{} that did not change", history.steady),
                   .failure = {}});
  return junit_document(junit_suite("benanza-analyze.history", cases));
}

void answer(const Options& options) {
  if (options.paths.size() < 2)
    throw Error("history: name two sets of results at least, oldest first");
  const double tolerance = options.tolerance_percent / 100;
  const std::size_t rows = rows_of(options.common);
  History history = read_history(options);
  Page page{.command = "history",
            .systems = history.stations.back().results.systems,
            .note = history.left_out};
  if (options.fleet) {
    for (const MeasurementFilter& filter : history.filters) {
      page.sections.push_back(fleet_section(history, filter, tolerance));
    }
  } else {
    add_steps(history, tolerance);
    page.sections.push_back(overview(history, tolerance));
    for (const MeasurementFilter& filter : history.filters) {
      for (const Graph& graph : history.graphs) {
        page.sections.push_back(model_section_of(history, graph, filter));
      }
    }
    page.sections.push_back(steps_section(history));
  }
  if (!options.junit.empty()) write_file(options.junit, junit_of(history));
  if (!options.html.empty()) write_file(options.html, page_html(page, "Benanza: history"));
  print(page_text(page, options.common.format, rows));
  const auto worse = std::ranges::count_if(history.steps, is_worse);
  if (options.fail && worse > 0) {
    throw Error(fmt::format("{} changes for the worse; --junit lists them", worse));
  }
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  flags.add("results", options->paths, "Results in chronological order, one per version or date",
            "FILE|DIR|DB");
  flags.add("--graph", options->common.graphs,
            "<model>.graph.json: only its problems, and its bound with each", "FILE");
  add_filter_flags(flags, options->common, "fp32");
  add_output_flags(flags, options->common);
  flags.add("--tolerance", options->tolerance_percent, 0.0, 1000.0,
            "Differences of up to this many percent count as equal");
  flags.add("--fleet", options->fleet,
            "The results are of machines of one kind: compare each with the median of the others");
  flags.add("--junit", options->junit, "Also write the changes as JUnit XML", "FILE");
  flags.add("--html", options->html, "Also write the answer as an HTML page with plots", "HTML");
  flags.add("--fail", options->fail, "Exit with an error if a problem became slower or was lost");
  return [options] { answer(*options); };
}

}  // namespace

Question history_question() {
  return {
      .name = "history",
      .help = "Times across versions or dates: what changed when; or machines against their peers",
      .ask = ask};
}

}  // namespace benanza::analysis
