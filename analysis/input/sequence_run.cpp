#include "analysis/input/sequence_run.h"

#include <ranges>

#include "core/base/document.h"
#include "core/base/text.h"

namespace benanza::analysis {

SequenceRun read_sequence_run(const std::filesystem::path& path) {
  const Document document(path, "a sequence of calls", "write it with bench_<backend> --sequence");
  return document.guard([&] {
    const nlohmann::json& root = document.root();
    document.require_schema(root, 1);
    if (root.value("command", "") != "sequence") throw document.error("is something else");
    const auto precision = parse_precision(root.at("precision").get<std::string>());
    if (!precision) throw document.error("is of an unknown precision");
    SequenceRun run{.systems = root.at("systems").get<std::map<std::string, System>>(),
                    .model = root.at("model").get<std::string>(),
                    .batch = optional_member<std::int64_t>(root, "batch"),
                    .precision = *precision,
                    .fused = root.at("fused").get<bool>(),
                    .calls = root.at("calls").size(),
                    .seconds = root.at("seconds").get<std::vector<double>>(),
                    .joules = optional_member<double>(root, "joules")};
    for (const auto& call : root.at("calls")) run.alone_seconds += call.at("seconds").get<double>();
    if (run.seconds.empty() || !(run.alone_seconds > 0)) throw document.error("has no times");
    return run;
  });
}

bool is_of(const SequenceRun& run, const Graph& graph) {
  return run.model == graph.model && (!run.batch || !graph.batch || *run.batch == *graph.batch);
}

std::string SequenceRun::backends() const { return text::join(std::views::keys(systems), " and "); }

void require_same_systems(const std::map<std::string, System>& systems,
                          const std::map<std::string, System>& results,
                          const std::filesystem::path& path, const std::string& what) {
  for (const auto& [backend, system] : systems) {
    const auto found = results.find(backend);
    if (found == results.end()) {
      throw Error(path.string() + ": calls of " + backend +
                  ", which has no results here; leave the " + what + " out");
    }
    const auto differing = differences(found->second, system);
    if (differing.empty()) continue;
    const FieldDifference& one = differing.front();
    throw Error(path.string() + ": measured on another system than the results: " + one.field +
                " " + one.second.value_or("not stated") + " instead of " +
                one.first.value_or("not stated") + "; leave the " + what + " out");
  }
}

}  // namespace benanza::analysis
