// benanza-analyze inspect: the calls that a model implies compared with those that a framework
// made.

#include <memory>

#include "analysis/profile_match/same_model.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/inspect/report.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

Section inspect_answer(const Graph& graph, const Profile& profile,
                       const std::vector<LibraryCall>& calls = {}) {
  InspectReport report{.graph = &graph,
                       .profile = std::make_shared<const Profile>(one_run(profile, graph)),
                       .calls = calls};
  report.inspection = inspect(graph, *report.profile);
  if (!calls.empty()) report.call_of_layer = calls_of_layers(graph, calls);
  return inspect_section(report);
}

/// A run at the filter's precision, otherwise the run whose latency is reported.
std::optional<Section> inspect_in_report(const Subject& subject) {
  const Profile* profile = profile_of(subject);
  if (profile == nullptr) profile = latency_profile(subject);
  if (profile == nullptr || !profile->timeline) return std::nullopt;
  Section section = inspect_answer(subject.graph, *profile);
  section.blocks.insert(section.blocks.begin(), section.heading);
  return section;
}

struct InspectOptions {
  CommonFlags common;
  std::vector<std::string> logs;
};

Action ask_inspect(Flags& flags) {
  const auto options = std::make_shared<InspectOptions>();
  CommonFlags& common = options->common;
  flags.add("--graph", common.graphs, "Models: <model>.graph.json of benanza-generate", "FILE");
  flags.add("--profile", common.profiles,
            "A run of one of the models: of scripts/profile-pytorch, or PyTorch's trace", "FILE");
  flags.add("--api-log", options->logs,
            "Log of cuDNN, cuBLAS or cuBLASLt from that run: which algorithms it took", "FILE");
  add_output_flags(flags, common);
  return [options] {
    const CommonFlags& common = options->common;
    if (common.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
    if (common.profiles.empty()) throw Error("say which run of it: --profile FILE");
    const std::size_t rows = rows_of(common);
    std::vector<Graph> graphs;
    for (const std::string& path : common.graphs) graphs.push_back(read_graph(path));
    const std::vector<LibraryCall> calls = read_api_logs(options->logs);
    if (!calls.empty() && common.profiles.size() > 1) {
      throw Error("--api-log: say of which run: give one --profile");
    }
    Page page{.command = "inspect"};
    for (const std::string& path : common.profiles) {
      const Profile profile = read_profile(path);
      if (profile.model.empty() && graphs.size() > 1) {
        throw Error(path + ": a trace does not name its model: give that model's --graph alone");
      }
      page.sections.push_back(inspect_answer(graph_of(profile, graphs), profile, calls));
    }
    print(page_text(page, common.format, rows));
  };
}

}  // namespace

Question inspect_question() {
  return {.name = "inspect",
          .help = "What a framework's run does beyond the model, and what the GPU waits for",
          .section = inspect_in_report,
          .ask = ask_inspect,
          .chapter = "the framework's run",
          .place = 60};
}

}  // namespace benanza::analysis
