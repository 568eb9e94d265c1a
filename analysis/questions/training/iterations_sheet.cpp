#include "analysis/questions/training/iterations_sheet.h"

#include <functional>

#include "analysis/questions/common/prices.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"

namespace benanza::analysis {

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

}  // namespace benanza::analysis
