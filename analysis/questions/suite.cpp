// benanza-analyze suite: the operators of a framework's profile as a graph file, whose problems the
// suites measure like those of a model.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "analysis/profile_match/profile_graph.h"
#include "analysis/profiles/profile.h"
#include "analysis/questions/common/question.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct SuiteOptions {
  std::vector<std::string> profiles;
  std::string out;
};

/// "run" of run.pt.trace.json.gz.
std::string stem_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

struct Made {
  std::string precision;
  ProfileGraph suite;
  /// What the profile lacks, one sentence each.
  std::vector<std::string> remarks;
};

/// By the graph's name. Throws Error if two have the same.
std::map<std::string, Made> read_suites(const std::vector<std::string>& files) {
  std::map<std::string, Made> suites;
  for (const std::string& file : files) {
    const Profile profile = read_profile(file, NeedsLatency::no);
    const std::string name = profile.model.empty() ? stem_of(file) : profile.model;
    if (suites.contains(name)) {
      throw Error(file + ": " + name +
                  " would be written twice; give another folder to one of the profiles");
    }
    suites.emplace(name, Made{profile.precision, graph_of_profile(profile, name), profile.remarks});
  }
  return suites;
}

void write_suite(const std::filesystem::path& folder, const Made& made) {
  const ProfileGraph& suite = made.suite;
  const std::filesystem::path out = folder / (suite.graph.model + ".graph.json");
  write_file(out, graph_json(suite.graph));
  std::cout << fmt::format("{}: {} layers, {} distinct problems, {}\n", out.string(),
                           suite.graph.layers.size(), problems_of(suite.graph).size(),
                           made.precision.empty() ? "unknown precision" : made.precision);
  if (suite.seconds > 0) {
    std::cout << fmt::format("  problems for {:.1f}% of {:.3f} ms\n",
                             suite.known_seconds / suite.seconds * 100, suite.seconds * 1e3);
  }
  std::vector<std::pair<std::string, double>> unknown(suite.unknown.begin(), suite.unknown.end());
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
  for (const std::string& remark : made.remarks) std::cout << "  note: " << remark << '\n';
}

Action ask_suite(Flags& flags) {
  const auto options = std::make_shared<SuiteOptions>();
  flags.add("profiles", options->profiles,
            "Profiles with sizes: traces of PyTorch with record_shapes, profiles of JAX", "FILE");
  flags.add_required("--out", options->out,
                     "Folder for the graph files, which bench_<backend> --graph reads", "FOLDER");
  return [options] {
    const auto suites = read_suites(options->profiles);
    make_directories(options->out);
    for (const auto& [name, made] : suites) write_suite(options->out, made);
  };
}

}  // namespace

Question suite_question() {
  return {.name = "suite",
          .help = "A suite of benchmarks from a framework's profile, without its model",
          .ask = ask_suite};
}

}  // namespace benanza::analysis
