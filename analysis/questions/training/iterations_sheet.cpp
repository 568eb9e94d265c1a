#include "analysis/questions/training/iterations_sheet.h"

#include <fmt/format.h>

#include "analysis/questions/common/prices.h"
#include "analysis/questions/question.h"

namespace benanza::analysis {

Sheet iterations_sheet(bool with_usd) {
  Sheet sheet{.name = "iterations",
              .columns = {{"computation", "computation"},
                          {"GPUs", "gpus", true},
                          {"strategy", "strategy"},
                          {"ms", "seconds", true},
                          {"messages", "messages", true},
                          {"comm. ms", "communication_seconds", true},
                          {"exposed ms", "exposed_communication_seconds", true},
                          {"contention ms", "contention_seconds", true},
                          {"copies ms", "copies_seconds", true},
                          {"other ms", "other_seconds", true},
                          {"waits ms", "exposed_input_seconds", true},
                          {"samples/s", "samples_per_second", true},
                          {"speed-up", "speed_up", true},
                          {"efficiency", "efficiency", true},
                          {"bottleneck", "bottleneck"}},
              .all_rows = true};
  if (with_usd) sheet.columns.push_back({"USD/epoch", "usd_per_epoch", true});
  return sheet;
}

std::vector<Cell> iterations_row(const std::string& computation, const Scaling& one,
                                 const Graph& graph) {
  std::vector<Cell> row{text_cell(computation), count_cell(static_cast<std::size_t>(one.gpus)),
                        text_cell(one.strategy)};
  const auto seconds = [&](double Iteration::*member) {
    return ms_cell(one.iteration ? std::optional((*one.iteration).*member) : std::nullopt);
  };
  row.push_back(seconds(&Iteration::seconds));
  row.push_back(one.iteration ? count_cell(one.messages) : Cell{"-", nullptr});
  row.push_back(seconds(&Iteration::communication_seconds));
  row.push_back(seconds(&Iteration::exposed_communication_seconds));
  row.push_back(seconds(&Iteration::contention_seconds));
  const auto sum = [&](double first, double second, double third) {
    return ms_cell(one.iteration ? std::optional(first + second + third) : std::nullopt);
  };
  const Iteration found = one.iteration.value_or(Iteration{});
  row.push_back(sum(found.pack_seconds, found.unpack_seconds, 0));
  row.push_back(sum(found.buffers_seconds, found.slowest_seconds, found.host_seconds));
  row.push_back(seconds(&Iteration::exposed_input_seconds));
  if (one.iteration && graph.batch && one.iteration->seconds > 0) {
    const double rate = static_cast<double>(*graph.batch * one.gpus) / one.iteration->seconds;
    row.push_back({fmt::format("{:.0f}", rate), rate});
  } else {
    row.push_back({"-", nullptr});
  }
  row.push_back(factor_cell(one.iteration ? std::optional(one.speed_up) : std::nullopt));
  row.push_back(percent_cell(one.iteration ? std::optional(one.efficiency) : std::nullopt));
  row.push_back(one.iteration ? text_cell(std::string(to_string(one.bottleneck)))
                              : Cell{"-", nullptr});
  return row;
}

std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price) {
  if (!one.iteration || !graph.batch || !price) return std::nullopt;
  return samples / static_cast<double>(*graph.batch) * one.iteration->seconds / seconds_per_hour *
         *price;
}

}  // namespace benanza::analysis
