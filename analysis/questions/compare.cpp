// benanza-analyze compare: changes between two sets of results.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "analysis/input/results.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/compare/changes.h"
#include "analysis/questions/compare/changes_section.h"
#include "analysis/questions/compare/model_changes.h"
#include "analysis/render/text.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct CompareOptions {
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

std::vector<LayerTime> model_times(const Graph& graph, const Results& results,
                                   const MeasurementFilter& filter, const CompareOptions& options,
                                   const std::string& path) {
  std::vector<LayerTime> times =
      operator_times(graph, results.measurements, filter, movement_of(options.common));
  if (!options.common.allow_missing) {
    require_complete(graph, times, std::string(to_string(filter.precision)) + ", " + path);
  }
  return times;
}

struct CompareAnswered {
  Page page{.command = "compare"};
  std::size_t slower = 0;
  std::size_t lost = 0;
  /// Listed common changes for the worse.
  std::vector<CommonChange> common{};
  /// With models: of those that are worse, "resnet50_v1, batch 8, fp32: LBL 7.0% higher; ...".
  std::optional<std::vector<std::string>> worse_models{};

  /// Of a model, what its layers weigh counts; without one, every problem.
  bool is_worse() const {
    return !common.empty() || (worse_models ? !worse_models->empty() : slower + lost > 0);
  }
  std::string why(double tolerance_percent) const;
};

std::string CompareAnswered::why(double tolerance_percent) const {
  const std::string common_change = common.empty() ? "" : common_text(common.front());
  if (worse_models) return worse_models->empty() ? common_change : worse_models->front();
  return fmt::format("{} problems are slower by more than {:g}%, {} are lost{}", slower,
                     tolerance_percent, lost, common.empty() ? "" : "; " + common_change);
}

Error nothing_in_common(const CompareOptions& options, const std::string& where) {
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

CompareAnswered answer_compare(const CompareOptions& options) {
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

  CompareAnswered answered;
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
    std::vector<std::string> verdicts;
    std::vector<Section> models;
    for (const Graph& graph : graphs) {
      const auto times_before = model_times(graph, before, filter, options, options.before);
      const auto times_after = model_times(graph, after, filter, options, options.after);
      const ModelVerdict verdict = model_verdict(graph, found, movement, times_before, times_after);
      models.push_back(model_changes_section(graph, filter, movement, times_before, times_after));
      const bool is_worse = verdict.is_worse(tolerance);
      models.back().facts["verdict"] = {{"is_worse", is_worse},
                                        {"slower_layers", verdict.slower.size()},
                                        {"slower_seconds", verdict.slower_seconds},
                                        {"lost_layers", verdict.lost.size()}};
      verdicts.push_back(models.back().heading + ": " + verdict_text(verdict, tolerance));
      if (!answered.worse_models) answered.worse_models.emplace();
      if (is_worse) answered.worse_models->push_back(verdicts.back());
    }
    section.blocks.insert(section.blocks.begin(), lines.begin(), lines.end());
    section.blocks.insert(section.blocks.begin(), verdicts.begin(), verdicts.end());
    section.facts["systems_before"] = before.systems;
    answered.page.sections.push_back(std::move(section));
    std::ranges::move(models, std::back_inserter(answered.page.sections));
  }
  if (answered.page.sections.empty()) throw nothing_in_common(options, "");
  return answered;
}

Action ask_compare(Flags& flags) {
  const auto options = std::make_shared<CompareOptions>();
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
            "Exit with an error if all calls together slowed down more than the machine did; with "
            "--graph, if slower layers cost the bound more than --tolerance or a layer lost its "
            "only call; without, if a problem is slower or lost");
  return [options] {
    const std::size_t rows = rows_of(options->common);
    const CompareAnswered answered = answer_compare(*options);
    print(page_text(answered.page, options->common.format, rows));
    if (!options->fail || !answered.is_worse()) return;
    throw Error(answered.why(options->tolerance_percent));
  };
}

}  // namespace

Question compare_question() {
  return {.name = "compare",
          .help = "What became slower, faster, lost or gained between two sets of results",
          .ask = ask_compare};
}

}  // namespace benanza::analysis
