#include "analysis/input/plan_run.h"

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
