#include "analysis/questions/serve/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/questions/serve/steps.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

std::vector<LeftOutPoint> left_out_of(const StepGrid& grid) {
  return leave_one_out(grid.seconds(), grid.axes());
}

double error_of(const LeftOutPoint& out) { return std::abs(out.sum_ratio.value_or(1) - 1); }

/// Half-way on a logarithmic axis, since sizes double; of 0 and another value, half of it.
std::int64_t middle(std::int64_t low, std::int64_t high) {
  const auto a = static_cast<double>(low);
  const auto b = static_cast<double>(high);
  return std::llround(low == 0 ? b / 2 : std::sqrt(a * b));
}

using Values = std::map<std::string_view, std::set<std::int64_t>>;

std::string command_of(const ServedVariant& served, const ServingQuery& query, Values values) {
  return measuring_command(served, query, values["batch"], values["past"], values["new"]);
}

std::string place_text(const StepGrid& grid, const Place& place) {
  std::string text = std::string(to_string(grid.phase())) + " at";
  const auto axes = axes_of(grid.phase());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    text += fmt::format("{} {} {}", axis == 0 ? "" : ",", axes[axis], place[axis]);
  }
  return text;
}

std::optional<NextPoints> beside(const ServedVariant& served, const ServingQuery& query,
                                 const StepGrid& grid, const LeftOutPoint& out) {
  const auto axes = axes_of(grid.phase());
  Values values;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) values[axes[axis]] = {out.place[axis]};
  const std::int64_t here = out.place[out.axis];
  std::set<std::int64_t> more;
  for (const std::int64_t one : {middle(out.below, here), middle(here, out.above)}) {
    if (one != out.below && one != here && one != out.above) more.insert(one);
  }
  if (more.empty()) return std::nullopt;
  values[axes[out.axis]] = more;
  return NextPoints{.beside = place_text(grid, out.place),
                    .axis = axes[out.axis],
                    .error = error_of(out),
                    .command = command_of(served, query, values)};
}

/// For each axis with two values.
std::vector<NextPoints> middles(const ServedVariant& served, const ServingQuery& query,
                                const StepGrid& grid) {
  std::vector<NextPoints> all;
  Values values;
  for (const std::string_view axis : axes_of(grid.phase())) {
    const auto measured = grid.values_on(axis);
    values[axis] = {measured.begin(), measured.end()};
  }
  for (const std::string_view axis : axes_of(grid.phase())) {
    if (values[axis].size() != 2) continue;
    const std::int64_t low = *values[axis].begin();
    const std::int64_t high = *values[axis].rbegin();
    const std::int64_t between = middle(low, high);
    if (between == low || between == high) continue;
    Values more = values;
    more[axis] = {between};
    all.push_back(
        {.beside = fmt::format("{} between {} {} and {}", to_string(grid.phase()), axis, low, high),
         .axis = axis,
         .error = {},
         .command = command_of(served, query, more)});
  }
  return all;
}

constexpr double ninth_decile = 0.9;

PlanError left_out_plan(const StepGrid& grid, const Place& place, double seconds) {
  PlanError out{.phase = grid.phase(), .place = place, .seconds = seconds};
  for (const double layer : grid.seconds().at(place)) out.bound_seconds += layer;
  out.estimate = grid.planned_without(place, true);
  out.without_bound = out.estimate.has_value();
  if (!out.estimate) out.estimate = grid.planned_without(place, false);
  return out;
}

/// Errors with or without the steps' bounds.
std::vector<double> known_errors(const std::vector<PlanError>& all, bool without_bound) {
  std::vector<double> errors;
  for (const PlanError& one : all) {
    if (one.without_bound == without_bound && one.error()) errors.push_back(*one.error());
  }
  return errors;
}

nlohmann::ordered_json error_fact(const std::vector<double>& errors) {
  if (errors.empty()) return nullptr;
  return {{"steps", errors.size()},
          {"mean", mean(errors)},
          {"median", median(errors)},
          {"p90", quantile(errors, ninth_decile)}};
}

void add_error_text(Section& section, const std::vector<double>& errors, std::string_view what) {
  if (errors.empty()) return;
  section.add(fmt::format(
      "{}: {:.1f}% on average, {:.1f}% in the median, {:.1f}% at the 90th percentile, of {} {}.",
      what, 100 * mean(errors), 100 * median(errors), 100 * quantile(errors, ninth_decile),
      errors.size(), errors.size() == 1 ? "step" : "steps"));
}

void add_plan_errors(Section& section, const std::vector<PlanError>& all) {
  const std::vector<double> inner = known_errors(all, true);
  const std::vector<double> edges = known_errors(all, false);
  section.facts["plan_error"] = error_fact(inner);
  section.facts["plan_error_at_edges"] = error_fact(edges);
  add_error_text(section, inner, "Error of steps as plans, with their runs and bounds left out");
  add_error_text(section, edges,
                 "Error at the edges of what was measured, with only their runs left out");
  if (inner.empty() && edges.empty()) {
    section.add(
        "Error of steps as plans: unknown: run the plans of two steps of a phase at least.");
  }
}

Sheet plans_sheet(const std::vector<PlanError>& all) {
  using Row = PlanError;
  Table<Row> table = step_table<Row>();
  table.add({"bound ms", "bound_seconds", milli, &Row::bound_seconds});
  table.add({"plan ms", "seconds", milli, &Row::seconds});
  table.add({"of bound", "ratio", thousandths, &Row::ratio});
  table.add({"estimate ms", "estimated_seconds", milli, &Row::estimate});
  table.add({"error", "error", percent, &Row::error});
  table.add({"left out", "left_out", &Row::left_out});
  return table.sheet(all, {.name = "plans",
                           .caption = "steps as plans, measured",
                           .note = "estimate: without the step's own run and, if neighbours have "
                                   "one, without its bound",
                           .all_rows = true});
}

}  // namespace

ServingErrors errors_of(const ServedVariant& served) {
  ServingErrors errors;
  for (const StepGrid* grid : served.grids()) {
    for (const LeftOutPoint& out : left_out_of(*grid)) {
      errors.layers.insert(errors.layers.end(), out.layer_errors.begin(), out.layer_errors.end());
      errors.steps.push_back(error_of(out));
    }
  }
  return errors;
}

std::optional<std::int64_t> MeasuredStep::on(std::string_view axis) const {
  return value_on(grid->phase(), place, axis);
}

std::vector<MeasuredStep> measured_steps(const ServedVariant& served) {
  std::vector<MeasuredStep> steps;
  for (const StepGrid* grid : served.grids()) {
    const std::vector<LeftOutPoint> all = left_out_of(*grid);
    for (const auto& [place, seconds] : grid->seconds()) {
      MeasuredStep step{
          .grid = grid, .place = place, .step = *grid->at({place.begin(), place.end()})};
      for (const LeftOutPoint& out : all) {
        if (out.place != place) continue;
        step.left_out_error = std::max(step.left_out_error.value_or(0), error_of(out));
      }
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

std::vector<NextPoints> next_points(const ServedVariant& served, const ServingQuery& query) {
  constexpr std::size_t most = 3;
  constexpr double worth_measuring = 0.01;
  std::vector<NextPoints> all;
  std::vector<NextPoints> unknown;
  for (const StepGrid* grid : served.grids()) {
    const std::vector<LeftOutPoint> outs = left_out_of(*grid);
    for (const LeftOutPoint& out : outs) {
      if (error_of(out) < worth_measuring) continue;
      if (auto next = beside(served, query, *grid, out)) all.push_back(*std::move(next));
    }
    if (!outs.empty() || grid->empty()) continue;
    for (NextPoints& next : middles(served, query, *grid)) unknown.push_back(std::move(next));
  }
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const NextPoints& next) { return *next.error; });
  all.insert(all.end(), unknown.begin(), unknown.end());
  if (all.size() > most) all.resize(most);
  return all;
}

std::optional<std::int64_t> PlanError::on(std::string_view axis) const {
  return value_on(phase, place, axis);
}

std::optional<double> PlanError::error() const {
  return estimate ? std::optional(std::abs(*estimate / seconds - 1)) : std::nullopt;
}

std::vector<PlanError> plan_errors(const ServedVariant& served) {
  std::vector<PlanError> all;
  for (const StepGrid* grid : served.grids()) {
    for (const auto& [place, seconds] : grid->planned()) {
      all.push_back(left_out_plan(*grid, place, seconds));
    }
  }
  return all;
}

void add_plans(Section& section, const ServedVariant& served) {
  const std::vector<PlanError> all = plan_errors(served);
  section.facts["plan_runs"] = all.size();
  section.facts["times_are"] = all.empty() ? "bounds only" : "of plans, measured or estimated";
  if (all.empty()) {
    section.add(
        "Times are bounds only: sums of calls. Runs of plans (--plan) say what the steps take.");
    return;
  }
  section.add(
      "Times are those of runs of plans; of a step without one, its bound times the median ratio "
      "of plan to bound: of plans of the batch, if there are two, else of all of the phase. Kinds "
      "of layers and joules are of the bounds.");
  section.add(plans_sheet(all));
  add_plan_errors(section, all);
}

Section runs_section(const PlannedRuns& runs, const std::vector<PlanError>& errors) {
  Section section{.heading = "runs of plans: all models together", .csv_facts = {}};
  section.facts["plan_runs"] = errors.size();
  section.add(Entry{"steps", std::to_string(errors.size())});
  add_plan_errors(section, errors);
  const Table<UnusedRun> table{{"run of a plan", "path", &UnusedRun::path, any_width},
                               {"is left out: it", "reason", &UnusedRun::reason, any_width}};
  section.facts["plans_known_by_calls"] = runs.known_by_calls();
  if (runs.known_by_calls() > 0) {
    section.add(fmt::format(
        "{} of the runs do not say their step, as earlier versions of bench_plan: it is known by "
        "the model's name, the batch and the problems of all calls.",
        runs.known_by_calls()));
  }
  section.add(table.sheet(runs.unused(), {.name = "unused_plans",
                                          .caption = "runs of plans that count for no step",
                                          .all_rows = true}));
  return section;
}

}  // namespace benanza::analysis
