// benanza-analyze serve: how fast a language model could serve on this machine.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/model/floor.h"
#include "analysis/questions/common/flags.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/serve/answer.h"
#include "analysis/questions/serve/errors.h"
#include "analysis/questions/serve/section.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct ServeOptions {
  CommonFlags common;
  std::string prompt;
  std::string cached;
  std::string output;
  std::string batches;
  std::string config;
  /// 0: not given.
  double memory_gib = 0;
  double usd_per_hour = 0;
  std::vector<std::string> plans;
};

using VariantPoints = std::vector<std::pair<ServingPoint, const Graph*>>;

ServingQuery query_of(const ServeOptions& options) {
  ServingQuery query{.usd_per_hour = options.usd_per_hour,
                     .config = options.config,
                     .allow_missing = options.common.allow_missing};
  if (!options.prompt.empty()) query.prompt = size_of(options.prompt, "--prompt");
  if (!options.cached.empty()) query.cached = size_of(options.cached, "--cached", 0);
  if (!options.output.empty()) query.output = size_of(options.output, "--output");
  if (!options.batches.empty()) query.batches = sizes_of(options.batches, "--batch");
  if (options.memory_gib > 0) query.memory_bytes = options.memory_gib * gibibyte;
  return query;
}

/// The memory of the device that was measured; empty if the results do not say.
std::optional<double> device_memory(const Inputs& inputs, const MeasurementFilter& filter) {
  for (const auto& [backend, system] : inputs.results.systems) {
    const auto found = system.find("memory_bytes");
    if (!admits_backend(filter, backend) || found == system.end()) continue;
    try {
      return std::stod(found->second);
    } catch (const std::exception&) {
      // The context has a malformed value: unknown.
    }
  }
  return std::nullopt;
}

ServedVariant served_by(const VariantPoints& points, const Inputs& inputs,
                        const MeasurementFilter& filter, const PlannedSeconds& planned) {
  const ServingPoint& any = points.front().first;
  const auto grid = [&](ServingPhase phase) {
    VariantPoints of_phase;
    for (const auto& one : points) {
      if (one.first.phase == phase) of_phase.push_back(one);
    }
    return StepGrid(phase, of_phase, inputs, filter, planned);
  };
  ServedVariant served{.model = any.model,
                       .variant = any.variant,
                       .precision = filter.precision,
                       .memory = any.memory,
                       .prefill = grid(ServingPhase::prefill),
                       .decode = grid(ServingPhase::decode),
                       .extend = grid(ServingPhase::extend)};
  if (!served.decode.empty()) return served;
  const auto& incomplete = served.decode.incomplete();
  throw Error(fmt::format("{}, {}: no decode step has a time{}; measure some: {}", any.model,
                          text_of(any.variant),
                          incomplete.empty() ? "" : " for all its layers, as " + incomplete.front(),
                          measuring_command(served, {}, {1, 8, 32}, {2048, 8192}, {})));
}

/// By model, then by variant, in the order of the graphs.
std::vector<std::vector<VariantPoints>> models_of(const std::vector<Graph>& graphs) {
  std::vector<std::vector<VariantPoints>> models;
  for (const Graph& graph : graphs) {
    const ServingPoint point = serving_point(graph);
    auto model = std::ranges::find_if(models, [&](const std::vector<VariantPoints>& variants) {
      return variants.front().front().first.model == point.model;
    });
    if (model == models.end()) model = models.insert(models.end(), std::vector<VariantPoints>());
    auto variant = std::ranges::find_if(*model, [&](const VariantPoints& points) {
      return points.front().first.variant == point.variant;
    });
    if (variant == model->end()) variant = model->insert(model->end(), VariantPoints());
    variant->emplace_back(point, &graph);
  }
  return models;
}

void serve_answer(const ServeOptions& options) {
  ServingQuery asked = query_of(options);
  const Inputs inputs = read_inputs(options.common);
  const PlannedRuns plans(options.plans, inputs);
  std::vector<PlanError> errors;
  const std::vector<std::vector<VariantPoints>> models = models_of(inputs.graphs);
  Page page{.command = "serve", .systems = inputs.results.systems, .note = inputs.left_out};
  for (const MeasurementFilter& filter : inputs.filters) {
    ServingQuery query = asked;
    if (!query.memory_bytes) query.memory_bytes = device_memory(inputs, filter);
    const PlannedSeconds planned = plans.at(filter.precision);
    const DeviceRates rates = device_rates(inputs.results, filter);
    for (const std::vector<VariantPoints>& variants : models) {
      std::vector<ServedVariant> served;
      std::vector<ServingAnswer> answers;
      for (const VariantPoints& points : variants) {
        served.push_back(served_by(points, inputs, filter, planned));
        // All variants are asked for the same, which the first one completes.
        const ServingQuery same = completed(query, served.front());
        answers.push_back(answer_of(served.back(), same));
        page.sections.push_back(
            serving_section(served.back(), answers.back(), rates, inputs, filter));
        std::ranges::move(plan_errors(served.back()), std::back_inserter(errors));
      }
      if (served.size() > 1) page.sections.push_back(variants_section(served, answers));
    }
  }
  if (!options.plans.empty()) page.sections.push_back(runs_section(plans, errors));
  publish(page, options.common, "serve");
}

Action ask_serve(Flags& flags) {
  const auto options = std::make_shared<ServeOptions>();
  add_common_flags(flags, options->common, "bf16");
  flags.add("--prompt", options->prompt, "Tokens of a prompt (default: a measured one)", "N");
  flags.add("--cached", options->cached,
            "Tokens of the prompt that are in the cache already: the rest is an extend step", "N");
  flags.add("--output", options->output,
            "Tokens of an answer (default: up to the longest measured past)", "N");
  flags.add("--batch", options->batches,
            "Sequences at once: 1,8,32 or 1:64 (default: as measured, and the largest that fits)",
            "SIZES");
  flags.add("--memory", options->memory_gib, 0, 1e6,
            "GiB of a device's memory; 0: what the results say, else unlimited");
  flags.add("--usd-per-hour", options->usd_per_hour, 0, 1e6,
            "Price of a device: adds USD per million tokens");
  flags.add("--plan", options->plans,
            "Runs of the steps' plans (bench_plan --benchmark_out), or folders of such *run.json: "
            "times are theirs, those of other steps are estimated with them",
            "FILE|DIR");
  flags.add("--config", options->config,
            "The model's config.json, named in commands that say what to measure", "FILE");
  add_html_flag(flags, options->common);
  return [options] { serve_answer(*options); };
}

}  // namespace

Question serve_question() {
  return {.name = "serve",
          .help = "Latency and throughput of serving a language model, from measured steps",
          .ask = ask_serve};
}

}  // namespace benanza::analysis
