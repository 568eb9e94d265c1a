// benanza-analyze plan: a whole model as calls in order, with every tensor's place. bench_plan runs
// it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>

#include "analysis/input/results.h"
#include "analysis/model/floor.h"
#include "analysis/model/in_plan.h"
#include "analysis/model/plan.h"
#include "analysis/model/plan_memory.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct PlanOptions {
  CommonFlags common;
  bool apart = false;
  bool by_heuristic = false;
  bool in_order = false;
  /// Runs of plans of any models.
  std::vector<std::string> gaps;
  bool memory = false;
  std::string out;
};

/// The flow file beside the graph file.
std::filesystem::path flow_path(const std::string& graph) {
  constexpr std::string_view suffix = ".graph.json";
  if (!graph.ends_with(suffix)) {
    throw Error(graph + ": its flow file has no name: the graph's does not end in " +
                std::string(suffix));
  }
  return graph.substr(0, graph.size() - suffix.size()) + ".flow.json";
}

/// Of the shortest call: one that moves next to nothing.
double least_seconds(const std::vector<PlannedWork>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (const PlannedWork& one : work) {
    for (const Measurement* const call : one.time.calls) least = std::min(least, call->seconds());
  }
  return std::isinf(least) ? 0 : least;
}

/// Rows that no library gathers.
void add_gathered(Section& section, const Plan& plan) {
  std::size_t steps = 0;
  double seconds = 0;
  for (const PlanStep& step : plan.steps) {
    if (!step.work.gather) continue;
    ++steps;
    seconds += step.seconds;
  }
  if (steps == 0) return;
  section.facts["gathers"] = steps;
  section.facts["gather_seconds"] = seconds;
  section.add(Entry{"by our own code",
                    fmt::format("{} steps gather rows, {:.3f} ms of the sum (the time of a copy of "
                                "as many bytes)",
                                steps, seconds * 1e3)});
}

/// What only integers and masks need.
void add_prepared(Section& section, const Plan& plan) {
  if (plan.prepared.empty()) return;
  section.facts["prepared"] = plan.prepared.size();
  section.facts["prepared_seconds"] = plan.prepared_seconds;
  section.add(
      Entry{"left to the caller",
            fmt::format("{} layers that compute only integers and masks from inputs, "
                        "{:.3f} ms of the bound; the first: {}",
                        plan.prepared.size(), plan.prepared_seconds * 1e3, plan.prepared.front())});
}

void add_conditions(Section& section, const std::optional<PlanConditions>& conditions) {
  if (!conditions) return;
  section.facts["runs"] = {{"seconds", conditions->in_plan_seconds},
                           {"from_cache_seconds", conditions->from_cache_seconds},
                           {"from_memory_seconds", conditions->from_memory_seconds}};
  section.add(Entry{
      "in the runs",
      fmt::format("calls with weights take {:.3f} ms, {:.3f} if they come from memory, {:.3f} "
                  "from the caches: planned as from {}",
                  conditions->in_plan_seconds * 1e3, conditions->from_memory_seconds * 1e3,
                  conditions->from_cache_seconds * 1e3,
                  conditions->are_from_memory() ? "memory" : "the caches")});
}

void add_memory(Section& section, const PlanMemory& memory) {
  section.facts["memory_bytes"] = memory.total();
  const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  section.add(Entry{
      "memory", fmt::format("{:.3f} MB: tensors {:.3f}, converted ones {:.3f}, constants {:.3f}, "
                            "workspaces {:.3f}",
                            mb(memory.total()), mb(memory.arena), mb(memory.converted),
                            mb(memory.constants), mb(memory.workspace))});
}

/// `outgrown`: of the weights as the calls have them, if these do not stay in the cache though the
/// file's do.
Section plan_section_of(const Subject& subject, const Plan& plan,
                        const std::optional<PlanConditions>& conditions,
                        const std::optional<PlanMemory>& outgrown, const PlanMemory& memory) {
  Section section = model_section(subject.graph, subject.filter, Movement::include);
  section.facts["seconds"] = plan.seconds;
  section.facts["arena_bytes"] = plan.arena_bytes;
  add_weights(section, large_weights(subject));
  add_conditions(section, conditions);
  if (outgrown) {
    section.facts["constant_bytes"] = outgrown->constants;
    section.add(Entry{"weights", fmt::format("timed from memory: as calls have them, {:.1f} MB do "
                                             "not stay in the cache",
                                             static_cast<double>(outgrown->constants) / 1e6)});
  }
  section.add(Entry{"steps", std::to_string(plan.steps.size())});
  section.add(Entry{"sum", fmt::format("{:.3f} ms", plan.seconds * 1e3)});
  const double conversions = conversion_seconds(plan);
  section.facts["conversions"] = plan.conversions.size();
  section.facts["conversion_seconds"] = conversions;
  section.add(Entry{"conversions",
                    fmt::format("{}, {:.3f} ms of the sum (as copies take, measured or estimated)",
                                plan.conversions.size(), conversions * 1e3)});
  section.facts["gap_seconds"] = plan.gap_seconds;
  section.add(Entry{
      "gaps", plan.gap_seconds == 0
                  ? std::string("not known: the run of any plan on this device tells (--gaps)")
                  : fmt::format("{:.3f} ms of the sum: calls behind each other, as "
                                "in the runs of earlier plans",
                                plan.gap_seconds * 1e3)});
  add_gathered(section, plan);
  add_prepared(section, plan);
  add_memory(section, memory);
  const Table<PlanStep> table{
      {"layers", "layers",
       [](const PlanStep& one) { return fmt::format("{}", fmt::join(one.layers, " ")); },
       name_width},
      {"us", "seconds", micro, [](const PlanStep& one) { return one.seconds; }},
      {"call", "call", [](const PlanStep& one) { return one.call; }, any_width}};
  section.add(table.sheet(plan.steps, {.name = "steps", .caption = "steps, in order"}));
  return section;
}

std::optional<double> copy_seconds(const Copy& copy, const MeasurementSet& measurements,
                                   MeasurementFilter filter) {
  filter.layout.reset();
  const Measurement* const call =
      select_measurement(key({copy, {}}), measurements, filter, copied_as(filter.precision)).best;
  return call == nullptr ? std::nullopt : std::optional(call->seconds());
}

/// `inputs` must outlive it.
ConversionCosts conversion_costs(const Inputs& inputs, const std::vector<PlannedWork>& work,
                                 const InPlanTimes& times) {
  const MeasurementFilter& filter = inputs.filters.front();
  if (!times.conversions.empty()) {
    return {.bytes_per_second = times.conversion_bytes_per_second, .measured = times.conversions};
  }
  return {.overhead_seconds = least_seconds(work),
          .bytes_per_second = device_rates(inputs.results, filter).bytes_per_second,
          .copy_seconds = [&inputs](const Copy& copy) {
            return copy_seconds(copy, inputs.results.measurements, inputs.filters.front());
          }};
}

/// Those that --gaps names, or else --plan. Throws Error for a run on another device.
std::vector<PlanRun> runs_with_gaps(const PlanOptions& options, const Inputs& inputs) {
  if (options.gaps.empty()) return inputs.plans;
  std::vector<PlanRun> runs;
  for (const std::string& path : options.gaps) {
    runs.push_back(read_plan_run(path));
    require_same_systems(runs.back().systems, inputs.results.systems, path, "plan");
  }
  return runs;
}

/// By the graph's weights, or by what they do in the runs of earlier plans.
bool are_from_memory(const Inputs& inputs, const MeasurementSet& usual,
                     const std::optional<PlanConditions>& conditions) {
  const MeasurementFilter& filter = inputs.filters.front();
  if (&usual != &inputs.results.measurements) return true;
  return inputs.from_memory && !filter.weights_in_cache && !filter.cold && conditions &&
         conditions->are_from_memory();
}

/// The times that a plan is made of.
struct PlanBasis {
  const MeasurementSet* alone = nullptr;
  InPlanTimes times{};
  /// In runs of earlier plans, if there are any.
  MeasurementSet expected{};
};

PlanBasis basis_of(const Inputs& inputs, bool from_memory) {
  const MeasurementSet& read = inputs.results.measurements;
  PlanBasis basis{.alone = from_memory ? &*inputs.from_memory : &read};
  basis.times =
      in_plan_times(from_memory ? repeated_from_memory(inputs.plans, read) : inputs.plans);
  if (!inputs.plans.empty()) basis.expected = in_plan(*basis.alone, basis.times);
  return basis;
}

/// Weights as the calls of the plan have them, such as those that Winograd's algorithm transforms,
/// may be more than the cache has room for, though the file's are not. Empty if they are not.
std::optional<PlanMemory> outgrows_cache(const Plan& plan, const Inputs& inputs,
                                         const PlanBasis& basis) {
  const MeasurementFilter& filter = inputs.filters.front();
  const auto cache = device_rates(inputs.results, filter).cache_bytes;
  const bool has_both = inputs.from_memory && basis.alone != &*inputs.from_memory;
  if (!cache || !has_both || filter.weights_in_cache || filter.cold) return std::nullopt;
  const PlanMemory memory = memory_of(plan, *basis.alone, Workspaces::shared);
  return static_cast<double>(memory.constants) > *cache ? std::optional(memory) : std::nullopt;
}

/// Steps run side by side on a GPU.
Workspaces workspaces_of(const Inputs& inputs) {
  const auto is_gpu = [](const auto& system) { return kind_of(system.second) == DeviceKind::gpu; };
  return std::ranges::any_of(inputs.results.systems, is_gpu) ? Workspaces::own : Workspaces::shared;
}

std::vector<MemoryPoint> front_of(const std::function<Plan(const MeasurementFilter&)>& plan_within,
                                  const MeasurementFilter& filter, const MeasurementSet& alone,
                                  const Inputs& inputs) {
  const Workspaces workspaces = workspaces_of(inputs);
  const auto at = [&](std::optional<std::int64_t> limit) -> std::optional<MemoryPoint> {
    MeasurementFilter limited = filter;
    if (limit) limited.max_workspace_bytes = limit;
    try {
      const Plan plan = plan_within(limited);
      return MemoryPoint{plan.seconds, memory_of(plan, alone, workspaces)};
    } catch (const Error&) {
      // A layer has no call with so little workspace.
      return std::nullopt;
    }
  };
  return memory_front(workspace_sizes(alone, filter.precision), at);
}

/// From as little memory as it can run in to no limit.
void add_front(Section& section, const std::vector<MemoryPoint>& front) {
  const auto bytes = [](std::int64_t PlanMemory::*member) {
    return [member](const MemoryPoint& one) { return static_cast<double>(one.memory.*member); };
  };
  const auto total = [](const MemoryPoint& one) { return static_cast<double>(one.memory.total()); };
  const Table<MemoryPoint> table{
      {"MB", "bytes", mega, total},
      {"arena MB", "arena_bytes", mega, bytes(&PlanMemory::arena)},
      {"constants MB", "constant_bytes", mega, bytes(&PlanMemory::constants)},
      {"workspace MB", "workspace_bytes", mega, bytes(&PlanMemory::workspace)},
      {"conversions MB", "converted_bytes", mega, bytes(&PlanMemory::converted)},
      {"ms", "seconds", milli, &MemoryPoint::seconds}};
  section.add(table.sheet(front, {.name = "memory",
                                  .caption = "memory and time of plans with less workspace",
                                  .all_rows = true}));
  Curves plot{
      .title = "time over memory", .curves = {{.name = "plans"}}, .x_name = "MB", .y_name = "ms"};
  for (const MemoryPoint& one : front) {
    plot.curves[0].points.emplace_back(total(one) * 1e-6, one.seconds * 1e3);
  }
  section.add(std::move(plot));
}

void plan_answer(const PlanOptions& options) {
  const Inputs inputs = read_inputs(options.common);
  if (inputs.graphs.size() != 1 || inputs.filters.size() != 1) {
    throw Error("plan: one graph at one precision at a time, and these are " +
                std::to_string(inputs.graphs.size() * inputs.filters.size()));
  }
  const Graph& graph = inputs.graphs.front();
  const DataFlow flow = read_flow(flow_path(options.common.graphs.front()));
  MeasurementFilter filter = inputs.filters.front();
  if (options.by_heuristic) filter.policy = AlgorithmPolicy::heuristic;
  const auto conditions = plan_conditions(inputs.plans, inputs.results.measurements);
  PlanBasis basis =
      basis_of(inputs, are_from_memory(inputs, measurements_of(inputs, graph, filter), conditions));
  const std::vector<PlanRun> runs = runs_with_gaps(options, inputs);
  const bool runs_at_once = !options.in_order && workspaces_of(inputs) == Workspaces::own;
  const auto plan_within = [&](const MeasurementFilter& limited) {
    const MeasurementSet& known = inputs.plans.empty() ? *basis.alone : basis.expected;
    const std::vector<PlannedWork> work = planned_work(graph, flow, known, limited, !options.apart);
    Plan made =
        make_plan(graph, flow, work, filter.precision, conversion_costs(inputs, work, basis.times));
    if (runs_at_once) place_for_branches(made);
    state_alone(made, *basis.alone);
    state_gaps(made, runs, *basis.alone);
    return made;
  };
  Plan plan = plan_within(filter);
  const auto outgrown = inputs.plans.empty() ? outgrows_cache(plan, inputs, basis) : std::nullopt;
  if (outgrown) {
    basis = basis_of(inputs, true);
    plan = plan_within(filter);
  }
  plan.fused = !options.apart;
  plan.by_heuristic = options.by_heuristic;
  for (const PlanStep& step : plan.steps) {
    const std::string backend = parse_variant_name(step.call).backend;
    const auto system = inputs.results.systems.find(backend);
    if (system != inputs.results.systems.end()) plan.systems.insert(*system);
  }
  if (const std::string found = contradiction_of(plan); !found.empty()) {
    throw Error(graph.model + ": the plan contradicts itself: " + found);
  }
  if (!options.out.empty()) write_file(options.out, plan_json(plan));
  const PlanMemory memory = memory_of(plan, *basis.alone, workspaces_of(inputs));
  const Page page = page_of("plan", inputs, [&](const Subject& subject) {
    Section section = plan_section_of(subject, plan, conditions, outgrown, memory);
    if (options.memory) add_front(section, front_of(plan_within, filter, *basis.alone, inputs));
    return std::optional(std::move(section));
  });
  print(page, inputs);
}

Action ask_plan(Flags& flags) {
  const auto options = std::make_shared<PlanOptions>();
  add_common_flags(flags, options->common);
  flags.add("--plan", options->common.plans,
            "Output of bench_plan --benchmark_out for earlier plans: choose by what calls and "
            "conversions took in them",
            "FILE");
  flags.add("--gaps", options->gaps,
            "The same for plans of any models: only expect the gaps between calls that they had",
            "FILE");
  flags.add("--memory", options->memory,
            "Also list plans with less and less workspace: their memory and time");
  flags.add("--in-order", options->in_order,
            "On a GPU: the least memory, which keeps steps from running at the same time");
  flags.add("--apart", options->apart, "Without fusion: one call a layer");
  flags.add("--by-heuristic", options->by_heuristic,
            "The calls that the libraries' heuristics choose, not the fastest");
  flags.add("--out", options->out, "Write the plan here, for bench_plan", "FILE");
  return [options] { plan_answer(*options); };
}

}  // namespace

Question plan_question() {
  return {.name = "plan",
          .help = "The whole model as calls in order, with every tensor's place",
          .ask = ask_plan};
}

}  // namespace benanza::analysis
