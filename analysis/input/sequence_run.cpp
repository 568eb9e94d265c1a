#include "analysis/input/sequence_run.h"

#include "core/base/document.h"

namespace benanza::analysis {

SequenceRun read_sequence_run(const std::filesystem::path& path) {
  const Document document(path, "a sequence of calls", "write it with bench_<backend> --sequence");
  return document.guard([&] {
    const nlohmann::json& root = document.root();
    document.require_schema(root, 1);
    if (root.value("command", "") != "sequence") throw document.error("is something else");
    const auto precision = parse_precision(root.at("precision").get<std::string>());
    if (!precision) throw document.error("is of an unknown precision");
    SequenceRun run{.backend = root.at("backend").get<std::string>(),
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

}  // namespace benanza::analysis
