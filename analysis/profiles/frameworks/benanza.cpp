// Benanza itself: the calls of a bound, timed one after the other by bench_* --sequence.

#include "analysis/profiles/profile.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

bool recognises_benanza(const json& root) { return root.value("framework", "") == "benanza"; }

Profile import_benanza(const Document& document) {
  const json& root = document.root();
  document.require_schema(root, 1);
  Profile profile{.path = document.path(),
                  .framework = "in sequence",
                  .version = root.at("version").get<std::string>(),
                  .model = root.at("model").get<std::string>(),
                  .batch = optional_member<std::int64_t>(root, "batch"),
                  .precision = root.at("precision").get<std::string>(),
                  .device = root.at("device").get<std::string>(),
                  .latency_seconds = root.at("latency_seconds").get<std::vector<double>>(),
                  .joules = optional_member<double>(root, "joules"),
                  .nodes = {},
                  .remarks = {"the bound's own calls, one after the other: an operator's time is "
                              "that of its call by itself"}};
  for (const json& call : root.at("calls")) {
    const auto layer = call.at("layer").get<std::string>();
    profile.nodes.push_back({.name = layer,
                             .origin = layer,
                             .op = call.at("op").get<std::string>(),
                             .seconds = call.at("seconds").get<double>()});
  }
  return profile;
}

}  // namespace

Importer benanza_importer() {
  return {.framework = "benanza", .recognises = recognises_benanza, .import = import_benanza};
}

}  // namespace benanza::analysis
