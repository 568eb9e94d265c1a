// benanza-analyze history: results of successive versions, and where times changed.

#include <fmt/format.h>

#include <memory>

#include "analysis/input/results.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/history/sheets.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct HistoryOptions {
  CommonFlags common;
  std::vector<std::string> paths;
  double tolerance_percent = 5;
  double window = 14;
  std::string junit;
  bool fleet = false;
  bool fail = false;
};

std::string versions_of(const Results& results) {
  std::string text;
  for (const auto& [backend, system] : results.systems) {
    text += (text.empty() ? "" : ", ") + library_name(backend, system);
  }
  return text;
}

struct History {
  std::vector<Station> stations{};
  /// What keep_one_device() says.
  std::string left_out{};
  ChronicleOptions options{};
};

History read_history(const HistoryOptions& options) {
  History history{.options = {.tolerance = options.tolerance_percent / 100,
                              .window = static_cast<std::size_t>(options.window)}};
  for (const std::string& path : options.common.graphs) {
    history.options.graphs.push_back(read_graph(path));
  }
  const std::optional<KeySet> wanted = history.options.graphs.empty()
                                           ? std::nullopt
                                           : std::optional(problem_keys(history.options.graphs));
  for (const std::string& path : options.paths) {
    history.stations.push_back({path, read_results({path}, wanted), ""});
  }
  std::vector<Results*> all;
  for (Station& station : history.stations) all.push_back(&station.results);
  history.left_out = keep_one_device(all, first_backend(options.common));
  for (Station& station : history.stations) station.versions = versions_of(station.results);
  for (const std::string& precision : precisions_of(options.common, history.options.graphs)) {
    history.options.filters.push_back(filter_of(options.common, precision));
  }
  return history;
}

/// What a question about stations found.
struct HistoryAnswered {
  std::string junit;
  /// Empty if nothing is worse.
  std::string failure;
};

HistoryAnswered answer_series(const History& history, Page& page) {
  const Chronicle chronicle = chronicle_of(history.stations, history.options);
  page.sections.push_back(versions_section(history.stations, history.options, chronicle));
  for (const MeasurementFilter& filter : history.options.filters) {
    for (const Graph& graph : history.options.graphs) {
      page.sections.push_back(model_history_section(history.stations, graph, filter));
    }
  }
  page.sections.push_back(events_section(history.stations, chronicle));
  return {.junit = junit_of(history.stations, chronicle),
          .failure =
              chronicle.worse() == 0
                  ? ""
                  : fmt::format("{} changes for the worse; --junit lists them", chronicle.worse())};
}

HistoryAnswered answer_fleet(const History& history, Page& page) {
  std::vector<Fleet> fleets;
  std::size_t worse = 0;
  for (const MeasurementFilter& filter : history.options.filters) {
    fleets.push_back(fleet_of(history.stations, filter, history.options.tolerance));
    page.sections.push_back(fleet_section(history.stations, filter, fleets.back()));
    worse += fleets.back().worse();
  }
  return {.junit = junit_of(history.stations, fleets),
          .failure = worse == 0
                         ? ""
                         : fmt::format("{} machines are slower than their peers, or differ without "
                                       "a majority; --junit lists them",
                                       worse)};
}

void history_answer(const HistoryOptions& options) {
  if (options.paths.size() < 2)
    throw Error("history: name two sets of results at least, oldest first");
  const History history = read_history(options);
  Page page{.command = "history",
            .systems = history.stations.back().results.systems,
            .note = history.left_out};
  const HistoryAnswered answered =
      options.fleet ? answer_fleet(history, page) : answer_series(history, page);
  if (!options.junit.empty()) write_file(options.junit, answered.junit);
  publish(page, options.common, "history");
  if (options.fail && !answered.failure.empty()) throw Error(answered.failure);
}

Action ask_history(Flags& flags) {
  const auto options = std::make_shared<HistoryOptions>();
  flags.add("results", options->paths, "Results in chronological order, one per version or date",
            "FILE|DIR|DB");
  flags.add("--graph", options->common.graphs,
            "<model>.graph.json: only its problems, and its bound with each", "FILE");
  add_filter_flags(flags, options->common, "fp32");
  add_output_flags(flags, options->common);
  flags.add("--tolerance", options->tolerance_percent, 0.0, 1000.0,
            "Differences of up to this many percent count as equal");
  flags.add("--window", options->window, 1, 100000,
            "Compare each set of results with this many before it");
  flags.add("--fleet", options->fleet,
            "The results are of machines of one kind: compare each with the majority of them");
  flags.add("--junit", options->junit, "Also write the changes as JUnit XML", "FILE");
  add_html_flag(flags, options->common);
  flags.add("--fail", options->fail,
            "Exit with an error if a problem became slower or was lost, if all calls together "
            "take longer by more than the machine does, or if a machine is slower than its peers");
  return [options] { history_answer(*options); };
}

}  // namespace

Question history_question() {
  return {
      .name = "history",
      .help = "Times across versions or dates: what changed when; or machines against their peers",
      .ask = ask_history};
}

}  // namespace benanza::analysis
