#include "analysis/questions/serve/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "analysis/model/bounds.h"
#include "analysis/model/floor.h"
#include "analysis/model/whole.h"
#include "core/base/error.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

LayerKind kind_of_layer(const Layer& layer, const LayerTime& time) {
  std::vector<std::string_view> keys{layer.problems.begin(), layer.problems.end()};
  if (!time.calls.empty()) {
    keys.clear();
    for (const Measurement* call : time.calls) keys.emplace_back(call->variant.key);
  }
  const auto asks = [&](const auto& is_one) { return std::ranges::any_of(keys, is_one); };
  if (contains_text(layer.op, "MoE") || contains_text(layer.name, "expert") ||
      asks(asks_for<GroupedGemm>)) {
    return LayerKind::experts;
  }
  if (contains_text(layer.op, "Attention") || asks(asks_for<Attention>))
    return LayerKind::attention;
  if (contains_text(layer.op, "Norm") ||
      asks(asks_for<LayerNormalization, InstanceNormalization, BatchNormalization>)) {
    return LayerKind::normalization;
  }
  if (asks(asks_for<Gemm, Convolution, SparseProduct>)) return LayerKind::products;
  if (asks(asks_for<Collective>)) return LayerKind::communication;
  return LayerKind::other;
}

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::int64_t cached_tokens(const Attention& attention) {
  if (attention.window == 0) return attention.keys;
  return std::min(attention.keys, attention.window + attention.queries - 1);
}

/// The scores' product has keys as columns, that of the values sums over them.
std::int64_t cached_tokens(const Gemm& gemm) { return gemm.transpose_b ? gemm.n : gemm.k; }

/// Tokens of a sequence that the problem reads from a cache; empty if none is an operand.
std::optional<std::int64_t> tokens_read(const Problem& problem) {
  const std::vector<Operand> operands = inputs(problem);
  if (std::ranges::find(operands, Role::cache, &Operand::role) == operands.end()) return {};
  return std::visit(
      [](const auto& shape) -> std::optional<std::int64_t> {
        if constexpr (requires { cached_tokens(shape); }) return cached_tokens(shape);
        return std::nullopt;
      },
      problem.shape);
}

std::optional<std::int64_t> tokens_read(const Layer& layer) {
  for (const std::string& key : layer.problems) {
    if (const auto tokens = tokens_read(parse(key))) return tokens;
  }
  return std::nullopt;
}

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

std::optional<double> unless_unknown(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// Sums of the same numbers in different orders differ by less.
constexpr double sum_rounding = 1e-9;

bool lies_at(const Place& place, const std::vector<double>& at) {
  return std::ranges::equal(place, at, [](std::int64_t value, double other) {
    return static_cast<double>(value) == other;
  });
}

double sum_of(const LayerSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

bool is_missing(const std::vector<LayerTime>& times) {
  return std::ranges::any_of(times, [](const LayerTime& time) { return !time.gaps.empty(); });
}

void require_same_layers(const Graph& first, const Graph& other) {
  if (std::ranges::equal(first.layers, other.layers, {}, &Layer::name, &Layer::name)) return;
  throw Error(
      fmt::format("{} and {}: their layers differ; write all points of a model with one "
                  "version of `benanza-zoo llm`",
                  title(first), title(other)));
}

}  // namespace

std::string_view to_string(LayerKind kind) {
  constexpr std::string_view names[] = {"experts",  "attention",     "normalization",
                                        "products", "communication", "other"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<LayerKind> kinds_of(const Graph& graph, const std::vector<LayerTime>& times) {
  std::vector<LayerKind> kinds;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    kinds.push_back(kind_of_layer(graph.layers[layer], times[layer]));
  }
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    for (const std::size_t part : times[layer].does) kinds[part] = kinds[layer];
  }
  return kinds;
}

std::vector<std::vector<double>> limits_of(ServingPhase phase, const MeasuredSteps& steps) {
  const auto axes = axes_of(phase);
  const auto past = static_cast<std::size_t>(std::ranges::find(axes, "past") - axes.begin());
  if (past == axes.size() || steps.empty()) return {};
  std::vector<double> limits(steps.front()->second->layers.size(), no_limit);
  for (const auto* const step : steps) {
    const auto& [point, graph] = *step;
    for (std::size_t layer = 0; layer < limits.size(); ++layer) {
      const auto tokens = tokens_read(graph->layers[layer]);
      if (!tokens || *tokens >= point.past + point.new_tokens) continue;
      limits[layer] = std::min(limits[layer], static_cast<double>(*tokens - point.new_tokens));
    }
  }
  if (std::ranges::all_of(limits, [](double limit) { return limit == no_limit; })) return {};
  std::vector<std::vector<double>> all(axes.size());
  all[past] = std::move(limits);
  return all;
}

std::string ServingStep::time_kind() const {
  if (!planned_seconds) return "bound only";
  if (plans == 0) return "as a plan, measured";
  return fmt::format("estimated from {} {}", plans, plans == 1 ? "plan" : "plans");
}

StepGrid::StepGrid(ServingPhase phase,
                   const std::vector<std::pair<ServingPoint, const Graph*>>& points,
                   const Inputs& inputs, const MeasurementFilter& filter,
                   const PlannedSeconds& planned)
    : phase_(phase) {
  MeasuredSteps used;
  std::vector<std::vector<LayerTime>> times;
  for (const auto& one : points) {
    const Graph& graph = *one.second;
    require_same_layers(*points.front().second, graph);
    const Subject subject{
        .inputs = inputs, .graph = graph, .filter = filter, .allow_missing = inputs.allow_missing};
    std::vector<LayerTime> found = complete_times(subject);
    if (is_missing(found)) {
      incomplete_.push_back(title(graph));
      continue;
    }
    used.push_back(&one);
    times.push_back(std::move(found));
  }
  if (times.empty()) return;
  std::set<std::size_t> without;
  for (const std::size_t layer : one_sided_layers(times, inputs.movement)) without.insert(layer);
  for (const std::vector<LayerTime>& found : times) {
    for (std::size_t layer = 0; layer < found.size(); ++layer) {
      if (lacks_time(found[layer], inputs.movement)) without.insert(layer);
    }
  }
  const std::vector<std::size_t> layers(without.begin(), without.end());
  left_out_ = names_of(*used.front()->second, layers);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto& [point, graph] = *used[i];
    leave_out(times[i], layers);
    if (seconds_.contains(point.place())) {
      throw Error(fmt::format("{}: another --graph is of the same {} step of {}; leave one out",
                              title(*graph), to_string(phase), point.model));
    }
    add(*graph, point.place(), times[i], inputs, filter);
    const auto run = planned.find(graph);
    if (run != planned.end()) planned_[point.place()] = run->second;
  }
  axes_ = better(seconds_, limits_of(phase, used));
  amount_axes_ = joule_axes_ = axes_;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    std::vector<double>& limits = amount_axes_[axis].limits;
    joule_axes_[axis].limits.clear();
    // Of seconds, floors and bytes.
    limits.insert(limits.end(), axes_[axis].limits.begin(), axes_[axis].limits.end());
    limits.insert(limits.end(), axes_[axis].limits.begin(), axes_[axis].limits.end());
  }
}

void StepGrid::add(const Graph& graph, const Place& place, const std::vector<LayerTime>& times,
                   const Inputs& inputs, const MeasurementFilter& filter) {
  const std::vector<LayerKind> kinds = kinds_of(graph, times);
  if (kinds_.empty()) kinds_ = kinds;
  for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
    kinds_[layer] = std::min(kinds_[layer], kinds[layer]);
  }
  const LayerSeconds seconds = shared_seconds(times, inputs.movement);
  const ModelFloor floor = model_floor(graph, times, device_rates(inputs.results, filter), filter);
  LayerSeconds amounts = seconds;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const bool counts = is_counted(times[layer], inputs.movement);
    amounts.push_back(counts ? floor.layers[layer].seconds().value_or(not_known) : 0);
  }
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const auto& moved = floor.layers[layer].moved;
    const bool counts = is_counted(times[layer], inputs.movement);
    amounts.push_back(!counts ? 0 : moved ? moved->bytes() : not_known);
  }
  amounts.push_back(floor.model.seconds().value_or(not_known));
  if (amounts.back() > sum_of(seconds) * (1 + sum_rounding)) below_floor_.push_back(place);
  seconds_[place] = seconds;
  amounts_[place] = std::move(amounts);
  if (const auto joules = energy_of(times, inputs.movement).complete_joules()) {
    joules_[place] = {*joules};
  }
}

std::vector<std::int64_t> StepGrid::values_on(std::string_view axis) const {
  const auto axes = axes_of(phase_);
  const auto place = static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
  std::set<std::int64_t> values;
  for (const auto& [point, seconds] : seconds_) values.insert(point[place]);
  return {values.begin(), values.end()};
}

std::vector<std::vector<double>> StepGrid::limits() const {
  std::vector<std::vector<double>> all;
  for (const Axis& axis : axes_) all.push_back(axis.limits);
  return all;
}

bool StepGrid::is_measured(const std::vector<double>& at) const {
  return std::ranges::any_of(seconds_, [&](const auto& point) { return lies_at(point.first, at); });
}

std::optional<ServingStep> StepGrid::at(const std::vector<double>& at) const {
  const auto amounts = interpolated(amounts_, at, amount_axes_);
  if (!amounts) return std::nullopt;
  ServingStep step = step_of(*amounts, is_measured(at));
  if (const auto joules = interpolated(joules_, at, joule_axes_)) step.joules = joules->front();
  add_planned(step, at, true);
  return step;
}

std::optional<ServingStep> StepGrid::mean(std::vector<double> at, double from, double to) const {
  const auto amounts = mean_along(amounts_, at, 0, from, to, amount_axes_);
  if (!amounts) return std::nullopt;
  at.front() = from;
  const bool one = from == to;
  ServingStep step = step_of(*amounts, one && is_measured(at));
  if (const auto joules = mean_along(joules_, at, 0, from, to, joule_axes_)) {
    step.joules = joules->front();
  }
  add_planned(step, at, one);
  return step;
}

std::vector<double> StepGrid::ratios(double batch, const Place& without) const {
  std::vector<double> all;
  std::vector<double> of_batch;
  for (const auto& [place, seconds] : planned_) {
    const double bound = sum_of(seconds_.at(place));
    if (bound <= 0 || place == without) continue;
    all.push_back(seconds / bound);
    if (static_cast<double>(place.back()) == batch) of_batch.push_back(all.back());
  }
  return of_batch.size() < 2 ? all : of_batch;
}

void StepGrid::add_planned(ServingStep& step, const std::vector<double>& at, bool one) const {
  for (const auto& [place, seconds] : planned_) {
    if (!one || !lies_at(place, at)) continue;
    step.planned_seconds = seconds;
    return;
  }
  const std::vector<double> known = ratios(at.back(), {});
  if (known.empty()) return;
  step.planned_seconds = step.seconds * median(known);
  step.plans = known.size();
}

std::optional<double> StepGrid::planned_without(const Place& place, bool and_bound) const {
  const std::vector<double> others = ratios(static_cast<double>(place.back()), place);
  if (others.empty()) return std::nullopt;
  const std::vector<double> at(place.begin(), place.end());
  Grid grid = seconds_;
  if (and_bound) grid.erase(place);
  const auto bound = interpolated(grid, at, and_bound ? better(grid, limits()) : axes_);
  if (!bound) return std::nullopt;
  return sum_of(*bound) * median(others);
}

ServingStep StepGrid::step_of(const LayerSeconds& amounts, bool measured) const {
  const std::size_t layers = kinds_.size();
  ServingStep step{.measured = measured};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const double seconds = amounts[layer];
    step.seconds += seconds;
    const double bytes = amounts[2 * layers + layer];
    const double floor = amounts[layers + layer];
    if (seconds <= 0 && floor <= 0) continue;
    const auto [part, is_new] =
        step.kinds.try_emplace(kinds_[layer], KindPart{.floor_seconds = 0.0, .bytes = 0.0});
    KindPart& kind = part->second;
    kind.seconds += seconds;
    kind.floor_seconds = unless_unknown(kind.floor_seconds.value_or(not_known) + floor);
    kind.bytes = unless_unknown(kind.bytes.value_or(not_known) + bytes);
  }
  step.floor_seconds = unless_unknown(amounts.back());
  // Two estimates by different sums; what holds at all measured points holds between them.
  if (step.floor_seconds && !measured && below_floor_.empty() && left_out_.empty()) {
    step.floor_seconds = std::min(*step.floor_seconds, step.seconds);
  }
  return step;
}

}  // namespace benanza::analysis
