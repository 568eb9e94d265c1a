// benanza-analyze suite: the operators of a framework's profile as a graph file, whose problems the
// suites measure like those of a model.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "analysis/profile_match/profile_graph.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/question.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::string out;
};

/// "run" of run.pt.trace.json.gz.
std::string stem_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

void write_suite(const std::string& file, const std::filesystem::path& folder) {
  const Profile profile = read_profile(file, NeedsLatency::no);
  const std::string name = profile.model.empty() ? stem_of(file) : profile.model;
  const ProfileGraph made = graph_of_profile(profile, name);
  make_directories(folder);
  const std::filesystem::path out = folder / (name + ".graph.json");
  write_file(out, graph_json(made.graph));
  const std::size_t problems = problems_of(made.graph).size();
  std::cout << fmt::format("{}: {} layers, {} distinct problems, {}\n", out.string(),
                           made.graph.layers.size(), problems,
                           profile.precision.empty() ? "unknown precision" : profile.precision);
  if (made.seconds > 0) {
    std::cout << fmt::format("  problems for {:.1f}% of {:.3f} ms\n",
                             made.known_seconds / made.seconds * 100, made.seconds * 1e3);
  }
  std::vector<std::pair<std::string, double>> unknown(made.unknown.begin(), made.unknown.end());
  std::ranges::stable_sort(unknown, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  constexpr std::size_t most = 10;
  for (std::size_t at = 0; at < std::min(unknown.size(), most); ++at) {
    std::cout << fmt::format("  unsupported: {}, {:.3f} ms\n", unknown[at].first,
                             unknown[at].second * 1e3);
  }
  if (unknown.size() > most) {
    std::cout << fmt::format("  and {} more names\n", unknown.size() - most);
  }
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  flags.add("profiles", options->profiles,
            "Profiles with sizes: traces of PyTorch with record_shapes, profiles of JAX", "FILE");
  flags.add_required("--out", options->out,
                     "Folder for the graph files, which bench_<backend> --graph reads", "FOLDER");
  return [options] {
    for (const std::string& file : options->profiles) write_suite(file, options->out);
  };
}

}  // namespace

Question suite_question() {
  return {.name = "suite",
          .help = "A suite of benchmarks from a framework's profile, without its model",
          .ask = ask};
}

}  // namespace benanza::analysis
