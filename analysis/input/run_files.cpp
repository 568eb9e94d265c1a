#include "analysis/input/run_files.h"

#include <ranges>

#include "core/base/document.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

/// Entries "system.onednn.cpu" of the context, by backend and field.
std::map<std::string, System> systems_of(const nlohmann::json& context) {
  constexpr std::string_view prefix = "system.";
  std::map<std::string, System> systems;
  for (const auto& [name, value] : context.items()) {
    if (!name.starts_with(prefix)) continue;
    const std::string rest = name.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    if (dot == std::string::npos) continue;
    systems[rest.substr(0, dot)][rest.substr(dot + 1)] = value.get<std::string>();
  }
  return systems;
}

/// Entries "plan_metadata.past".
std::map<std::string, std::string> metadata_of(const nlohmann::json& context) {
  constexpr std::string_view prefix = "plan_metadata.";
  std::map<std::string, std::string> metadata;
  for (const auto& [name, value] : context.items()) {
    if (name.starts_with(prefix)) metadata[name.substr(prefix.size())] = value.get<std::string>();
  }
  return metadata;
}

std::size_t count(const nlohmann::json& row, const char* name) {
  return static_cast<std::size_t>(row.value(name, 0.0));
}

}  // namespace

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

PlanRun::Conversion conversion_of(const nlohmann::json& row) {
  const auto name = [&](const char* member) {
    const auto format = row.at(member).get<std::string>();
    return format.empty() ? "row-major" : format;
  };
  return {.from = name("from"),
          .to = name("to"),
          .bytes = row.at("bytes").get<double>(),
          .seconds = row.at("seconds").get<double>()};
}

PlanRun read_plan_run(const std::filesystem::path& path) {
  const Document document(path, "a run of a plan",
                          "write it with bench_plan PLAN --benchmark_out=FILE");
  return document.guard([&] {
    const nlohmann::json& context = document.root().at("context");
    if (!context.contains("plan_model")) throw document.error("is of no plan");
    const auto precision = parse_precision(context.at("plan_precision").get<std::string>());
    if (!precision) throw document.error("is of an unknown precision");
    PlanRun run{.systems = systems_of(context),
                .model = context.at("plan_model").get<std::string>(),
                .precision = *precision,
                .metadata = metadata_of(context),
                .fused = context.at("plan_fused").get<std::string>() == "true",
                .by_heuristic = context.contains("plan_by_heuristic")};
    if (context.contains("plan_batch")) {
      run.batch = std::stoll(context.at("plan_batch").get<std::string>());
    }
    for (const nlohmann::json& row : document.root().at("benchmarks")) {
      if (row.value("run_type", "iteration") != "iteration") continue;
      if (row.value("time_unit", "") != "ms") throw document.error("is not in ms");
      const double seconds = row.at("real_time").get<double>() * 1e-3;
      if (count(row, "branches") > 0) {
        run.branch_seconds.push_back(seconds);
        if (row.contains("regions")) {
          run.predicted_branch_gain_seconds = row.value("predicted_gain_seconds", 0.0);
        }
        continue;
      }
      run.seconds.push_back(seconds);
      run.steps = count(row, "steps");
      run.predicted_seconds = row.at("predicted_seconds").get<double>();
      run.predicted_conversion_seconds = row.value("predicted_conversion_seconds", 0.0);
      run.predicted_gap_seconds = row.value("predicted_gap_seconds", 0.0);
      run.conversions = count(row, "conversions");
      run.conversion_seconds = row.value("conversion_seconds", 0.0);
      run.step_seconds = row.value("step_seconds", 0.0);
      run.repeated_seconds = row.value("repeated_seconds", 0.0);
      run.prepared_seconds = row.value("prepared_seconds", 0.0);
      run.checked_tensors = count(row, "checked_tensors");
    }
    if (run.seconds.empty()) throw document.error("has no times");
    for (const nlohmann::json& step : document.root().value("steps", nlohmann::json::array())) {
      run.calls.push_back({.call = step.at("call").get<std::string>(),
                           .seconds = step.at("seconds").get<double>(),
                           .repeated_seconds = step.at("repeated_seconds").get<double>(),
                           .conversion_seconds = step.value("conversion_seconds", 0.0),
                           .layers = step.value("layers", std::vector<std::string>())});
    }
    for (const nlohmann::json& one :
         document.root().value("conversions", nlohmann::json::array())) {
      run.conversion_times.push_back(conversion_of(one));
    }
    return run;
  });
}

bool is_of(const PlanRun& run, const Graph& graph) {
  const bool states_other =
      !run.metadata.empty() && !graph.metadata.empty() && run.metadata != graph.metadata;
  return run.model == graph.model && !states_other &&
         (!run.batch || !graph.batch || *run.batch == *graph.batch);
}

std::string PlanRun::backends() const { return text::join(std::views::keys(systems), " and "); }

}  // namespace benanza::analysis
