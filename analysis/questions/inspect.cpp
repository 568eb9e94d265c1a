// benanza-analyze inspect: the calls a model implies against those that a framework made.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "analysis/questions/question.h"
#include "analysis/profile_match/calls.h"
#include "analysis/profile_match/comparison.h"
#include "analysis/profiles/read_profile.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/questions/inspect/inspect_report.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct InspectOptions {
  std::vector<std::string> graphs;
  std::vector<std::string> profiles;
  std::vector<std::string> logs;
  std::string format = "table";
  std::size_t rows = 15;
};

const Graph& graph_of(const Profile& profile, const std::vector<Graph>& graphs) {
  if (profile.model.empty() && graphs.size() > 1) {
    throw Error(profile.path.string() +
                ": a trace does not name its model: give that model's --graph alone");
  }
  std::string titles;
  for (const Graph& graph : graphs) {
    if (is_of(profile, graph)) return graph;
    if (!titles.empty()) titles += "; ";
    titles += title(graph);
  }
  throw Error(
      fmt::format("{}: profile of another model: of {}{}, and the graphs are of {}; give "
                  "that model's --graph",
                  profile.path.string(), profile.model,
                  profile.batch ? fmt::format(", batch {}", *profile.batch) : "", titles));
}

std::string answer_inspect(const InspectOptions& options) {
  if (options.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
  if (options.profiles.empty()) throw Error("say which run of it: --profile FILE");
  std::vector<Graph> graphs;
  for (const std::string& path : options.graphs) graphs.push_back(read_graph(path));
  std::vector<LibraryCall> calls;
  for (const std::string& path : options.logs) {
    const std::vector<LibraryCall> more = read_api_log(path);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  if (!calls.empty() && options.profiles.size() > 1) {
    throw Error("--api-log: say of which run: give one --profile");
  }
  std::vector<InspectReport> reports;
  for (const std::string& path : options.profiles) {
    const Profile profile = read_profile(path);
    const Graph& graph = graph_of(profile, graphs);
    InspectReport report{.graph = &graph,
                         .profile = std::make_shared<const Profile>(one_run(profile, graph))};
    report.inspection = inspect(graph, *report.profile);
    report.calls = calls;
    if (!calls.empty()) report.call_of_layer = calls_of_layers(graph, calls);
    reports.push_back(std::move(report));
  }
  if (options.format == "json") return inspect_json(reports);
  if (options.format == "csv") return inspect_csv(reports);
  return inspect_table(reports, options.rows);
}

void add_inspect(CLI::App& program) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = program.add_subcommand(
      "inspect", "What a framework's run does beyond the model, and what the GPU waits for");
  command->add_option("--graph", options->graphs, "<model>.graph.json of benanza-generate")
      ->type_name("FILE");
  command
      ->add_option("--profile", options->profiles,
                   "A run of one of the models: of scripts/profile-pytorch, or PyTorch's trace")
      ->type_name("FILE");
  command
      ->add_option("--api-log", options->logs,
                   "What cuDNN, cuBLAS or cuBLASLt logged of that run: which algorithms it took")
      ->type_name("FILE");
  command->add_option("--format", options->format, "Output")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--rows", options->rows, "Rows of the table of findings")
      ->type_name("N")
      ->capture_default_str();
  command->callback([options] {
    const std::string text = answer_inspect(*options);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
      throw Error("cannot write the report to standard output");
    }
  });
}

}  // namespace

Command inspect_command() { return {.add = add_inspect}; }

}  // namespace benanza::analysis
