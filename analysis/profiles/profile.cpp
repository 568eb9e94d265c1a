#include "analysis/profiles/profile.h"

#include <algorithm>

#include "analysis/profiles/processes.h"

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
          !std::all_of(profile.latency_seconds.begin(), profile.latency_seconds.end(),
                       [](double seconds) { return seconds > 0; })) {
        throw document.error("has no latency");
      }
      if (profile.nodes.empty()) throw document.error("has no operators in its trace");
      return profile;
    }
    throw document.error("is of no framework known here");
  });
}

}  // namespace benanza::analysis
