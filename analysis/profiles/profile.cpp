#include "analysis/profiles/profile.h"

#include <algorithm>

#include "analysis/input/nsight_export.h"
#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/processes.h"
#include "core/base/file.h"
#include "core/base/gzip.h"

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

}  // namespace benanza::analysis
