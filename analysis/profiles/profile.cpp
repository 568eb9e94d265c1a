#include "analysis/profiles/profile.h"

#include <algorithm>

#include "analysis/profiles/processes.h"
#include "core/base/file.h"
#include "core/base/gzip.h"

namespace benanza::analysis {

Profile read_profile(const std::filesystem::path& path, NeedsLatency needs) {
  const Document document(path, "a profile",
                          "write it with scripts/profile-onnxruntime or scripts/profile-pytorch");
  return document.guard([&] {
    for (const Importer& importer : importers()) {
      if (!importer.recognises(document.root())) continue;
      Profile profile = importer.import(document);
      read_processes(document, profile);
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

void require_same_file(const Document& document, const std::filesystem::path& file) {
  const nlohmann::json files = document.root().value("files", nlohmann::json::object());
  const auto found = files.find(file.filename().string());
  if (found == files.end() || checksum(read_file(file)) == found->get<std::uint32_t>()) return;
  throw document.error("is of another run than " + file.filename().string());
}

}  // namespace benanza::analysis
