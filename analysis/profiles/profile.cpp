#include "analysis/profiles/profile.h"

#include <algorithm>

#include "analysis/input/nsight_export.h"
#include "analysis/profiles/file/profile_file.h"
#include "core/base/file.h"
#include "core/base/gzip.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

Profile read_database(const std::filesystem::path& path, NeedsLatency needs) {
  if (!is_nsight_export(path)) {
    throw Error(path.string() +
                ": is an SQLite file, no profile; ask benanza-analyze profile about a recording of "
                "benanza-record");
  }
  // What takes a profile without a latency takes the sizes of its operators instead.
  if (needs == NeedsLatency::no) {
    throw Error(path.string() +
                ": is an export of Nsight Systems, which tells kernels and no sizes of operators; "
                "trace PyTorch with record_shapes, or record the program with benanza-record");
  }
  return nsight_profile(path);
}

using nlohmann::json;

bool are_times(const std::vector<double>& seconds) {
  return std::ranges::all_of(seconds, [](double value) { return value > 0; });
}

std::vector<ProcessRuns> processes_of(const json& owner, const ProfileFile& document) {
  std::vector<ProcessRuns> processes;
  for (const json& row : owner.value("processes", json::array())) {
    ProcessRuns runs{.latency_seconds = row.at("latency_seconds").get<std::vector<double>>(),
                     .graph_latency_seconds =
                         optional_member<std::vector<double>>(row, "cuda_graph_latency_seconds")
                             .value_or(std::vector<double>{})};
    if (runs.latency_seconds.empty() || !are_times(runs.latency_seconds) ||
        !are_times(runs.graph_latency_seconds)) {
      throw document.error("has a process without a latency");
    }
    processes.push_back(std::move(runs));
  }
  return processes;
}

/// The runs of all processes, in order.
std::vector<double> joined(const std::vector<ProcessRuns>& processes,
                           std::vector<double> ProcessRuns::*runs) {
  std::vector<double> all;
  for (const ProcessRuns& process : processes) {
    all.insert(all.end(), (process.*runs).begin(), (process.*runs).end());
  }
  return all;
}

bool is_same(const ProfiledNode& a, const ProfiledNode& b) {
  return a.name == b.name && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                                        b.parts.end(), [](const Part& one, const Part& other) {
                                          return one.op == other.op &&
                                                 one.problem == other.problem &&
                                                 one.output == other.output;
                                        });
}

bool have_same_kernels(const ProfiledNode& a, const ProfiledNode& b) {
  return std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                    [](const ProfiledKernel& one, const ProfiledKernel& other) {
                      return one.name == other.name;
                    });
}

}  // namespace

Profile read_profile(const std::filesystem::path& path, NeedsLatency needs) {
  if (is_sqlite_file(path)) return read_database(path, needs);
  refuse_nsight_report(path);
  const ProfileFile document(
      path, "a profile", "write it with scripts/profile-onnxruntime or scripts/profile-pytorch");
  return document.guard([&] {
    for (const Importer& importer : importers()) {
      if (!importer.recognises(document)) continue;
      Profile profile = importer.import(document);
      read_processes(document, profile);
      for (std::string& remark : document.remarks()) profile.remarks.push_back(std::move(remark));
      // A bare trace of a GPU has no latency, only the GPU's timeline.
      const bool is_needed = needs == NeedsLatency::yes && !profile.timeline;
      if ((profile.latency_seconds.empty() && is_needed) ||
          !std::ranges::all_of(profile.latency_seconds,
                               [](double seconds) { return seconds > 0; })) {
        throw document.error("has no latency");
      }
      if (profile.nodes.empty()) throw document.error("has no operators in its trace");
      return profile;
    }
    throw document.error("is of no framework known here");
  });
}

std::string Profile::named_version() const {
  std::string text = version;
  for (const std::string& option : options) text += (text.empty() ? "" : " ") + option;
  return text;
}

Profile described(const ProfileFile& document, const std::string& framework) {
  const nlohmann::json& root = document.root();
  document.require_schema(1);
  return {.path = document.path(),
          .framework = framework,
          .version = root.at("version").get<std::string>(),
          .model = root.at("model").get<std::string>(),
          .batch = optional_member<std::int64_t>(root, "batch"),
          .precision = root.at("precision").get<std::string>(),
          .device = optional_member<std::string>(root, "device").value_or(""),
          .latency_seconds = root.at("latency_seconds").get<std::vector<double>>()};
}

void require_same_file(const ProfileFile& document, const std::filesystem::path& file) {
  const nlohmann::json files = document.root().value("files", nlohmann::json::object());
  const auto found = files.find(file.filename().string());
  if (found == files.end() || checksum(read_file(file)) == found->get<std::uint32_t>()) return;
  throw document.error("is of another run than " + file.filename().string());
}

void read_processes(const ProfileFile& document, Profile& profile) {
  const json& root = document.root();
  profile.processes = processes_of(root, document);
  if (!profile.processes.empty() &&
      (joined(profile.processes, &ProcessRuns::latency_seconds) != profile.latency_seconds ||
       joined(profile.processes, &ProcessRuns::graph_latency_seconds) !=
           profile.graph_latency_seconds)) {
    throw document.error("has other latencies than its processes");
  }
  for (const json& row : root.value("fewer_threads", json::array())) {
    FewerThreads fewer{.threads = row.at("threads").get<std::int64_t>(),
                       .instead_of = row.at("instead_of").get<std::int64_t>(),
                       .processes = processes_of(row, document)};
    if (fewer.threads < 1 || fewer.threads >= fewer.instead_of || fewer.processes.empty()) {
      throw document.error("has a \"fewer_threads\" that no measurement gives");
    }
    profile.fewer_threads.push_back(std::move(fewer));
  }
}

bool is_same_sequence(std::span<const ProfiledNode> a, std::span<const ProfiledNode> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same);
}

bool are_equal(std::span<const ProfiledNode> nodes, std::size_t count) {
  const std::size_t length = nodes.size() / count;
  return is_same_sequence(nodes.subspan(length), nodes.first(nodes.size() - length));
}

std::size_t repeats(std::span<const ProfiledNode> nodes) {
  for (std::size_t length = 1; length < nodes.size(); ++length) {
    if (nodes.size() % length == 0 && are_equal(nodes, nodes.size() / length)) {
      return nodes.size() / length;
    }
  }
  return 1;
}

std::vector<ProfiledNode> medians(const std::vector<std::vector<ProfiledNode>>& sequences) {
  std::vector<ProfiledNode> nodes = sequences.back();
  std::vector<double> values;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    ProfiledNode& node = nodes[index];
    values.clear();
    for (const auto& sequence : sequences) values.push_back(sequence[index].seconds);
    set_times(node, values);
    const auto median_of = [&](std::size_t kernel, double ProfiledKernel::*member) {
      values.clear();
      for (const auto& sequence : sequences) {
        if (have_same_kernels(sequence[index], node)) {
          values.push_back(sequence[index].kernels[kernel].*member);
        }
      }
      return median(values);
    };
    for (std::size_t kernel = 0; kernel < node.kernels.size(); ++kernel) {
      const double seconds = median_of(kernel, &ProfiledKernel::seconds);
      const double waited = median_of(kernel, &ProfiledKernel::waited_seconds);
      node.kernels[kernel].seconds = seconds;
      node.kernels[kernel].waited_seconds = waited;
    }
  }
  return nodes;
}

void set_times(ProfiledNode& node, const std::vector<double>& seconds) {
  node.seconds = median(seconds);
  node.range.reset();
  if (seconds.size() < 2) return;
  const auto [low, high] = std::ranges::minmax(seconds);
  node.range = Interval{low, high};
}

std::vector<ProfiledNode> one_of(std::span<const ProfiledNode> nodes, std::size_t count) {
  const std::size_t length = nodes.size() / count;
  std::vector<std::vector<ProfiledNode>> sequences;
  for (std::size_t run = 0; run < count; ++run) {
    const auto part = nodes.subspan(run * length, length);
    sequences.emplace_back(part.begin(), part.end());
  }
  return medians(sequences);
}

}  // namespace benanza::analysis
