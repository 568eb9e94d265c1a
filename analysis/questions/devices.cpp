// benanza-analyze devices: the same models on several machines, and the price of a million
// inferences.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/input/one_device.h"
#include "analysis/model/energy.h"
#include "analysis/model/whole.h"
#include "analysis/questions/common/prices.h"
#include "analysis/questions/question.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct Options {
  CommonFlags common;
  std::vector<std::string> paths;
  std::string prices;
  std::string html;
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

Section section_of(const Graph& graph, const MeasurementFilter& filter,
                   const std::vector<Machine>& machines, const Prices& prices) {
  Section section = model_section(graph, filter);
  Sheet sheet{.name = "devices",
              .columns = {{"device", "device"},
                          {"results", "results"},
                          {"LBL ms", "sequential_seconds", true},
                          {"parallel ms", "parallel_seconds", true},
                          {"of the fastest", "ratio", true},
                          {"partial", "partial"}},
              .all_rows = true};
  if (!prices.empty()) sheet.columns.push_back({"USD per million", "usd_per_million", true});
  const double samples = static_cast<double>(graph.batch.value_or(1));
  Bars bars{
      .title = section.heading + ": LBL by device, ms", .series = {{"LBL", {}}}, .unit = "ms"};
  std::vector<Bounds> found;
  std::vector<bool> partial;
  std::vector<std::optional<double>> joules;
  for (const Machine& machine : machines) {
    const auto times =
        operator_times(graph, machine.results.measurements, filter, Movement::exclude);
    found.push_back(bounds(graph, times, Movement::exclude));
    partial.push_back(is_partial(times, Movement::exclude));
    joules.push_back(partial.back() ? std::nullopt
                                    : energy_of(times, Movement::exclude).complete_joules());
  }
  const bool has_energy =
      std::ranges::any_of(joules, [](const auto& one) { return one.has_value(); });
  if (has_energy) sheet.columns.push_back({"J per sample", "joules_per_sample", true});
  std::optional<double> fastest;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const double seconds = found[i].sequential.seconds;
    if (!partial[i] && seconds > 0 && (!fastest || seconds < *fastest)) fastest = seconds;
  }
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const double sum = found[i].sequential.seconds;
    // Incomplete sums are not times: sums over different layers do not compare.
    const std::optional<double> seconds =
        partial[i] || sum <= 0 ? std::nullopt : std::optional(sum);
    std::vector<Cell> row{
        text_cell(machines[i].device),
        text_cell(machines[i].path),
        ms_cell(sum > 0 ? std::optional(sum) : std::nullopt),
        ms_cell(sum > 0 ? std::optional(found[i].parallel.seconds) : std::nullopt),
        ratio_cell(seconds && fastest ? std::optional(*seconds / *fastest) : std::nullopt),
        flag_cell(partial[i])};
    if (!prices.empty()) {
      row.push_back(usd_cell(usd_per_million(seconds, graph, machines[i], prices)));
    }
    if (has_energy) {
      row.push_back(joules[i] ? Cell{.shown = fmt::format("{:.4f}", *joules[i] / samples),
                                     .value = *joules[i] / samples}
                              : Cell{.shown = "-", .value = nullptr});
    }
    sheet.rows.push_back(std::move(row));
    bars.categories.push_back(machines[i].device);
    bars.series[0].values.push_back(seconds ? std::optional(*seconds * 1e3) : std::nullopt);
  }
  section.add(std::move(bars));
  section.add(std::move(sheet));
  if (std::ranges::find(partial, true) != partial.end()) {
    section.add("Partial: layers lack a time there; such a sum is not compared with the others.");
  }
  return section;
}

void answer(const Options& options) {
  if (options.paths.empty()) throw Error("devices: name the results of each machine");
  if (options.common.graphs.empty()) throw Error("say which models: --graph <model>.graph.json");
  const std::size_t rows = rows_of(options.common);
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
  for (const std::string& precision : options.common.precisions) {
    const MeasurementFilter filter = filter_of(options.common, precision);
    for (const Graph& graph : graphs) {
      page.sections.push_back(section_of(graph, filter, machines, prices));
    }
  }
  if (!options.html.empty()) write_file(options.html, page_html(page, "Benanza: devices"));
  print(page_text(page, options.common.format, rows));
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  flags.add("results", options->paths, "Results of each machine", "FILE|DIR|DB");
  flags.add("--graph", options->common.graphs, "Models: <model>.graph.json", "FILE");
  add_filter_flags(flags, options->common, "fp32");
  add_output_flags(flags, options->common);
  flags.add("--prices", options->prices,
            "JSON, {\"name of a device\": USD per hour}: adds USD per million inferences", "FILE");
  flags.add("--html", options->html, "Also write the answer as an HTML page with plots", "HTML");
  return [options] { answer(*options); };
}

}  // namespace

Question devices_question() {
  return {
      .name = "devices",
      .help = "The same models on several machines, and the cost of a million inferences on each",
      .ask = ask};
}

}  // namespace benanza::analysis
