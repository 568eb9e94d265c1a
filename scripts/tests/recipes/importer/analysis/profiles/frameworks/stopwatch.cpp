// Profiles that contain a latency and one operator:
// {"stopwatch": 1, "model": "resnet50", "seconds": [0.01, ...]}.
#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis {
namespace {

bool recognises(const ProfileFile& document) { return document.root().contains("stopwatch"); }

Profile import(const ProfileFile& document) {
  Profile profile;
  profile.path = document.path();
  profile.framework = "stopwatch";
  profile.model = document.root().at("model").get<std::string>();
  profile.precision = "fp32";
  profile.latency_seconds = document.root().at("seconds").get<std::vector<double>>();
  profile.nodes.push_back(
      {.name = "all", .origin = "all", .seconds = profile.latency_seconds.at(0)});
  return profile;
}

}  // namespace

Importer stopwatch_importer() { return {"stopwatch", recognises, import}; }

}  // namespace benanza::analysis
