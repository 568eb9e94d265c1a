#include "analysis/questions/training/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "analysis/questions/common/inputs.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

constexpr double per_millisecond = 1e3;
/// Sums of the same times in different orders differ by less.
constexpr double rounding = 1e-9;

std::string gpus_text(std::int64_t gpus) {
  return gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus);
}

std::size_t lane_of(Activity activity) {
  if (activity == Activity::io || activity == Activity::to_device) return 0;
  return activity == Activity::communication ? 2 : 1;
}

}  // namespace

Sheet iterations_sheet(const std::vector<IterationRow>& rows, const Graph& graph,
                       const std::optional<EpochPrice>& price) {
  using Row = IterationRow;
  const auto known = [](auto of) {
    return [of](const Row& row) {
      const auto& found = row.scaling.iteration;
      return found ? std::optional(std::invoke(of, *found)) : std::nullopt;
    };
  };
  const auto of_scaling = [](auto member) {
    return [member](const Row& row) {
      return row.scaling.iteration ? std::optional(row.scaling.*member) : std::nullopt;
    };
  };
  using Step = Iteration;
  Table<Row> table{
      {"computation", "computation", &Row::computation},
      {"GPUs", "gpus", [](const Row& row) { return row.scaling.gpus; }},
      {"strategy", "strategy", [](const Row& row) { return row.scaling.strategy; }},
      {"ms", "seconds", milli, known(&Step::seconds)},
      {"messages", "messages", of_scaling(&Scaling::messages)},
      {"comm. ms", "communication_seconds", milli, known(&Step::communication_seconds)},
      {"exposed ms", "exposed_communication_seconds", milli,
       known(&Step::exposed_communication_seconds)},
      {"contention ms", "contention_seconds", milli, known(&Step::contention_seconds)},
      {"copies ms", "copies_seconds", milli,
       known([](const Step& step) { return step.pack_seconds + step.unpack_seconds; })},
      {"other ms", "other_seconds", milli, known([](const Step& step) {
         return step.buffers_seconds + step.slowest_seconds + step.host_seconds;
       })},
      {"waits ms", "exposed_input_seconds", milli, known(&Step::exposed_input_seconds)},
      {"samples/s", "samples_per_second", whole,
       [&](const Row& row) -> std::optional<double> {
         if (!row.scaling.iteration || !graph.batch) return std::nullopt;
         return quotient(static_cast<double>(*graph.batch * row.scaling.gpus),
                         row.scaling.iteration->seconds);
       }},
      {"speed-up", "speed_up", times, of_scaling(&Scaling::speed_up)},
      {"efficiency", "efficiency", percent, of_scaling(&Scaling::efficiency)},
      {"bottleneck", "bottleneck", [](const Row& row) {
         return row.scaling.iteration ? cell(row.scaling.bottleneck) : unknown_cell();
       }}};
  table.add_if(price.has_value(), {{"USD/epoch", "usd_per_epoch", thousandths, [&](const Row& row) {
                                      return usd_per_epoch(row.scaling, graph, price->samples,
                                                           price->usd_per_hour);
                                    }}});
  return table.sheet(rows, {.name = "iterations", .all_rows = true});
}

std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price) {
  if (!one.iteration || !graph.batch || !price) return std::nullopt;
  return samples / static_cast<double>(*graph.batch) * one.iteration->seconds / seconds_per_hour *
         *price;
}

std::vector<const Scaling*> fastest(const std::vector<Scaling>& all) {
  std::vector<const Scaling*> each;
  for (const Scaling& one : all) {
    if (!one.iteration) continue;
    if (each.empty() || each.back()->gpus != one.gpus) {
      each.push_back(&one);
    } else if (one.iteration->seconds < each.back()->iteration->seconds * (1 - rounding)) {
      each.back() = &one;
    }
  }
  return each;
}

Bars breakdown(const std::string& heading, const WorkerStep& step,
               const std::vector<const Scaling*>& each) {
  Bars bars{.title = heading + ": an iteration, ms",
            .series = {{"forward", {}},
                       {"backward", {}},
                       {"update", {}},
                       {"contention", {}},
                       {"exposed communication", {}},
                       {"copies of gradients", {}},
                       {"buffers, slowest worker, host", {}},
                       {"waiting for input", {}}},
            .unit = "ms",
            .stacked = true};
  for (const Scaling* const one : each) {
    bars.categories.push_back(gpus_text(one->gpus) + ", " + one->strategy);
    const Iteration& found = *one->iteration;
    const double parts[] = {step.forward,
                            step.backward_seconds(),
                            step.update,
                            found.contention_seconds,
                            found.exposed_communication_seconds,
                            found.pack_seconds + found.unpack_seconds,
                            found.buffers_seconds + found.slowest_seconds + found.host_seconds,
                            found.exposed_input_seconds};
    for (std::size_t i = 0; i < bars.series.size(); ++i) {
      bars.series[i].values.emplace_back(parts[i] * per_millisecond);
    }
  }
  return bars;
}

Curves speed_ups(const std::string& heading, const std::vector<Scaling>& all) {
  std::vector<Curves::Curve> curves;
  Curves::Curve ideal{.name = "ideal"};
  for (const Scaling& one : all) {
    const auto x = static_cast<double>(one.gpus);
    if (ideal.points.empty() || ideal.points.back().first < x) ideal.points.emplace_back(x, x);
    if (!one.iteration) continue;
    auto curve = std::ranges::find(curves, one.strategy, &Curves::Curve::name);
    if (curve == curves.end()) {
      // Strategies that need several GPUs also start at one.
      curves.push_back({.name = one.strategy, .points = {}});
      curve = std::prev(curves.end());
      if (one.gpus > 1) curve->points.emplace_back(1, 1);
    }
    curve->points.emplace_back(x, one.speed_up);
  }
  curves.insert(curves.begin(), std::move(ideal));
  return {.title = heading + ": speed-up",
          .curves = std::move(curves),
          .x_name = "GPUs",
          .y_name = "samples a second, of one GPU's"};
}

Gantt timeline(const std::string& heading, const Scaling& one) {
  Gantt plot{.title = fmt::format("{}: {}, {}", heading, gpus_text(one.gpus), one.strategy),
             .lanes = {"input", "computation", "communication"},
             .series = {"reading", "to the device", "forward", "backward", "communication",
                        "update", "buffers", "gradients back"},
             .unit = "ms"};
  for (const Segment& segment : one.iteration->timeline) {
    const auto series = static_cast<std::size_t>(segment.activity);
    plot.pieces.push_back({.lane = lane_of(segment.activity),
                           .begin = segment.begin * per_millisecond,
                           .end = segment.end * per_millisecond,
                           .series = series,
                           .name = fmt::format("{} {}", plot.series[series], segment.index)});
  }
  return plot;
}

}  // namespace benanza::analysis
