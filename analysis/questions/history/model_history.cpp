// The bound of a model at every station.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/history/sheets.h"

namespace benanza::analysis {

Section model_history_section(const std::vector<Station>& stations, const Graph& graph,
                              const MeasurementFilter& filter) {
  std::vector<std::vector<LayerTime>> times;
  for (const Station& station : stations) {
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
    const Station& station = stations[i];
    sheet.rows.push_back(
        {text_cell(station.path), text_cell(station.versions), ms_cell(seconds),
         ms_cell(known(found.parallel)),
         ratio_cell(seconds && first ? std::optional(*seconds / *first) : std::nullopt)});
    bars.categories.push_back(station_name(station));
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

}  // namespace benanza::analysis
