// benanza-analyze devices: the same models on several machines, and the price of a million
// inferences.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/inputs.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct DevicesOptions {
  CommonFlags common;
  std::vector<std::string> paths;
  std::string prices;
};

struct Machine {
  std::string path;
  Results results;
  std::string device;
};

/// USD for a million inferences; `seconds` is the time of one batch.
std::optional<double> usd_per_million(std::optional<double> seconds, const Graph& graph,
                                      const Machine& machine, const Prices& prices) {
  const auto price = prices.find(machine.device);
  if (!seconds || price == prices.end()) return std::nullopt;
  constexpr double million = 1e6;
  return *seconds / static_cast<double>(graph.batch.value_or(1)) * million / seconds_per_hour *
         price->second;
}

/// The model on one machine.
struct OnMachine {
  const Machine* machine = nullptr;
  Bounds bounds{};
  bool partial = false;
  std::optional<double> joules{};

  /// Empty if there is no call.
  std::optional<double> of(const Bound& bound) const {
    return bounds.sequential.seconds > 0 ? std::optional(bound.seconds) : std::nullopt;
  }
  std::optional<double> sequential() const { return of(bounds.sequential); }
  std::optional<double> parallel() const { return of(bounds.parallel); }
  /// Incomplete sums are not times: sums over different layers do not compare.
  std::optional<double> seconds() const { return partial ? std::nullopt : sequential(); }
};

OnMachine on_machine(const Graph& graph, const MeasurementFilter& filter, const Machine& machine) {
  const auto times = operator_times(graph, machine.results.measurements, filter, Movement::exclude);
  OnMachine found{.machine = &machine,
                  .bounds = bounds(graph, times, Movement::exclude),
                  .partial = is_partial(times, Movement::exclude)};
  if (!found.partial) found.joules = energy_of(times, Movement::exclude).complete_joules();
  return found;
}

Section devices_section_of(const Graph& graph, const MeasurementFilter& filter,
                           const std::vector<Machine>& machines, const Prices& prices) {
  using Row = OnMachine;
  Section section = model_section(graph, filter);
  std::vector<Row> rows;
  for (const Machine& machine : machines) rows.push_back(on_machine(graph, filter, machine));
  std::optional<double> fastest;
  for (const Row& row : rows) {
    if (row.seconds() && (!fastest || *row.seconds() < *fastest)) fastest = row.seconds();
  }
  const double samples = static_cast<double>(graph.batch.value_or(1));
  Table<Row> table{{"device", "device", [](const Row& row) { return row.machine->device; }},
                   {"results", "results", [](const Row& row) { return row.machine->path; }},
                   {"LBL ms", "sequential_seconds", milli, &Row::sequential},
                   {"parallel ms", "parallel_seconds", milli, &Row::parallel},
                   {"of the fastest", "ratio", thousandths,
                    [&](const Row& row) { return quotient(row.seconds(), fastest); }},
                   {"partial", "partial", &Row::partial}};
  table.add_if(!prices.empty(),
               {{"USD per million", "usd_per_million", thousandths, [&](const Row& row) {
                   return usd_per_million(row.seconds(), graph, *row.machine, prices);
                 }}});
  table.add_if(std::ranges::any_of(rows, [](const Row& row) { return row.joules.has_value(); }),
               {{"J per sample", "joules_per_sample", Unit{1, 4},
                 [&](const Row& row) { return quotient(row.joules, samples); }}});
  section.add(bars(
      {.title = section.heading + ": LBL by device, ms", .series = {{"LBL"}}, .unit = "ms"}, rows,
      [](const Row& row) { return row.machine->device; },
      [](const Row& row) { return in_ms(row.seconds()); }));
  section.add(table.sheet(rows, {.name = "devices", .all_rows = true}));
  if (std::ranges::any_of(rows, &Row::partial)) {
    section.add("Partial: layers lack a time there; such a sum is not compared with the others.");
  }
  return section;
}

void devices_answer(const DevicesOptions& options) {
  if (options.paths.empty()) throw Error("devices: name the results of each machine");
  if (options.common.graphs.empty()) throw Error("say which models: --graph <model>.graph.json");
  const Prices prices = read_prices(options.prices);
  std::vector<Graph> graphs;
  for (const std::string& path : options.common.graphs) graphs.push_back(read_graph(path));
  std::vector<Machine> machines;
  std::string left_out;
  for (const std::string& path : options.paths) {
    Results results = read_results({path}, problem_keys(graphs));
    const std::string note = keep_one_device(results, first_backend(options.common));
    if (!note.empty()) left_out += (left_out.empty() ? "" : "\n") + path + ": " + note;
    std::string device = device_of(results.systems);
    machines.push_back({path, std::move(results), std::move(device)});
  }
  Page page{.command = "devices", .note = left_out};
  for (const std::string& precision : precisions_of(options.common, graphs)) {
    const MeasurementFilter filter = filter_of(options.common, precision);
    for (const Graph& graph : graphs) {
      page.sections.push_back(devices_section_of(graph, filter, machines, prices));
    }
  }
  publish(page, options.common, "devices");
}

Action ask_devices(Flags& flags) {
  const auto options = std::make_shared<DevicesOptions>();
  flags.add("results", options->paths, "Results of each machine", "FILE|DIR|DB");
  flags.add("--graph", options->common.graphs, "Models: <model>.graph.json", "FILE");
  add_filter_flags(flags, options->common, "fp32");
  add_output_flags(flags, options->common);
  flags.add("--prices", options->prices,
            "JSON, {\"name of a device\": USD per hour}: adds USD per million inferences", "FILE");
  add_html_flag(flags, options->common);
  return [options] { devices_answer(*options); };
}

}  // namespace

Question devices_question() {
  return {
      .name = "devices",
      .help = "The same models on several machines, and the cost of a million inferences on each",
      .ask = ask_devices};
}

}  // namespace benanza::analysis
