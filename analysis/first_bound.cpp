// benanza-first-bound: the bound of each model in a line, as `benanza-analyze bound` has it, but
// for collectives that are not measured. Compiles in a fraction of the time: scripts/bench prints a
// bound while that program is not built yet.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/model/device_rates.h"
#include "analysis/model/whole.h"
#include "core/base/error.h"
#include "core/program/program_flags.h"

namespace {

using namespace benanza;
using namespace benanza::analysis;

struct Flags {
  std::vector<std::string> graphs{};
  std::vector<std::string> results{};
  std::vector<std::string> precisions{"fp32"};
};

void print_bound(const Graph& graph, const MeasurementFilter& filter, const Results& results,
                 const std::optional<MeasurementSet>& from_memory) {
  const std::vector<LayerTime> times = operator_times(
      graph, measurements_of(graph, filter, results, from_memory), filter, Movement::exclude);
  const auto lacks = [](const LayerTime& one) {
    return one.status == LayerStatus::missing || one.status == LayerStatus::unsupported;
  };
  const auto without = std::ranges::count_if(times, lacks);
  const double seconds = bounds(graph, times, Movement::exclude).sequential.seconds;
  std::printf("  %s, %s: ", title(graph).c_str(), std::string(to_string(filter.precision)).c_str());
  if (seconds > 0) std::printf("%.3f ms%s", seconds * 1e3, without > 0 ? "  " : "");
  if (without > 0) std::printf("(%zd of %zu layers have no time)", without, times.size());
  std::printf("\n");
}

void print_bounds(const Flags& flags) {
  std::vector<Graph> graphs;
  for (const std::string& path : flags.graphs) graphs.push_back(read_graph(path));
  const KeySet problems = problem_keys(graphs);
  Results results = read_results({flags.results.begin(), flags.results.end()}, problems);
  keep_one_device(results, "");
  const auto from_memory = with_weights_from_memory(results.measurements);
  for (const Graph& graph : graphs) {
    for (const std::string& word : flags.precisions) {
      const auto precision = parse_precision(word);
      if (!precision) throw Error("--precision " + word + ": is no precision");
      MeasurementFilter filter{.precision = *precision, .inner_moves = false};
      filter.fallback = usual_fallback(filter.precision, problems, results.measurements);
      print_bound(graph, filter, results, from_memory);
    }
  }
  if (std::fflush(stdout) != 0) throw Error("cannot write to standard output");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Prints the bound of each model.", "benanza-first-bound");
  Flags flags;
  program.add_option("--graph", flags.graphs, "<model>.graph.json of benanza-generate")->required();
  program.add_option("--results", flags.results, "Results of the suites: files, folders")
      ->required();
  program.add_option("--precision", flags.precisions, "One or several: fp32,fp16")->delimiter(',');
  try {
    benanza::add_program_flags(program);
    program.parse(argc, argv);
    print_bounds(flags);
    return 0;
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benanza-first-bound: %s\n", error.what());
    return 1;
  }
}
