#include "analysis/questions/serve/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace benanza::analysis
