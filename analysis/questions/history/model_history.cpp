// The bound of a model at every station.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/model/whole.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/history/sheets.h"
#include "analysis/render/table.h"

namespace benanza::analysis {

namespace {

/// The model's bounds at one station; empty over no layers, which is not a time.
struct StationBounds {
  const Station* station = nullptr;
  std::optional<double> sequential{};
  std::optional<double> parallel{};
};

/// Layers that have a time at some of the stations only.
std::vector<std::size_t> somewhere_only(const std::vector<std::vector<LayerTime>>& times,
                                        std::size_t layers) {
  std::vector<std::size_t> found;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const auto counted = std::ranges::count_if(
        times, [&](const auto& one) { return is_counted(one[layer], Movement::exclude); });
    if (counted > 0 && counted < std::ssize(times)) found.push_back(layer);
  }
  return found;
}

}  // namespace

Section model_history_section(const std::vector<Station>& stations, const Graph& graph,
                              const MeasurementFilter& filter) {
  std::vector<std::vector<LayerTime>> times;
  for (const Station& station : stations) {
    times.push_back(operator_times(graph, station.results.measurements, filter, Movement::exclude));
  }
  const std::vector<std::size_t> left_out = somewhere_only(times, graph.layers.size());
  const bool partial = std::ranges::any_of(
      times, [](const auto& one) { return is_partial(one, Movement::exclude); });
  Section section = model_section(graph, filter);
  section.facts["left_out_layers"] = left_out.size();
  section.facts["partial"] = partial;
  const auto known = [](const Bound& bound) {
    return bound.seconds > 0 ? std::optional(bound.seconds) : std::nullopt;
  };
  using Row = StationBounds;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < times.size(); ++i) {
    leave_out(times[i], left_out);
    const Bounds found = bounds(graph, times[i], Movement::exclude);
    rows.push_back({&stations[i], known(found.sequential), known(found.parallel)});
  }
  section.add(bars(
      {.title = section.heading + ": LBL, ms", .series = {{"LBL"}}, .unit = "ms"}, rows,
      [](const Row& row) { return station_name(*row.station); },
      [](const Row& row) {
        return row.sequential ? std::optional(*row.sequential * 1e3) : std::nullopt;
      }));
  const Table<Row> table{
      {"results", "results", [](const Row& row) { return row.station->path; }},
      {"versions", "versions", [](const Row& row) { return row.station->versions; }},
      {"LBL ms", "sequential_seconds", milli, &Row::sequential},
      {"parallel ms", "parallel_seconds", milli, &Row::parallel},
      {"of the first", "ratio", thousandths,
       [&](const Row& row) { return quotient(row.sequential, rows.front().sequential); }}};
  section.add(table.sheet(rows, {.name = "bounds", .all_rows = true}));
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
