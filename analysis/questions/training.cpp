// benanza-analyze training: the time of a training step on one GPU and on several.

#include "analysis/questions/training/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analysis/model/whole.h"
#include "analysis/profiles/latency.h"
#include "analysis/questions/common/inputs.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/training/measured.h"
#include "analysis/questions/training/options.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// One worker's step; `name` is the source of its seconds, "bound" or a framework's name.
struct Computation {
  std::string name;
  WorkerStep step;
};

void add_curve_error(Section& section, const CollectiveCurves& curves) {
  std::vector<double> errors;
  for (const auto& [kind, curve] : curves.curves) {
    if (kind.first != CollectiveKind::all_reduce) continue;
    for (const auto& [bytes, ratio] : leave_one_out(curve)) errors.push_back(std::abs(ratio - 1));
  }
  if (errors.empty()) return;
  section.facts["curve_error_median"] = median(errors);
  section.add(fmt::format(
      "All-reduces of {}: each size, left out and estimated from the others, is off by {:.1f}% in "
      "the median.",
      curves.backend, 100 * median(errors)));
}

void add_step(Section& section, const std::vector<Computation>& computations,
              const InputTimes& input) {
  const WorkerStep& step = computations.front().step;
  for (const auto& [name, seconds] :
       {std::pair{"forward_seconds", step.forward},
        std::pair{"backward_seconds", step.backward_seconds()},
        std::pair{"update_seconds", step.update}, std::pair{"io_seconds", input.io},
        std::pair{"to_device_seconds", input.to_device}}) {
    section.facts[name] = seconds;
  }
  section.facts["gradient_bytes"] = step.gradient_bytes();
  for (const auto& [name, one] : computations) {
    section.add(
        Entry{name, fmt::format("forward {}, backward {}, update {}", milliseconds(one.forward),
                                milliseconds(one.backward_seconds()), milliseconds(one.update))});
  }
  section.add(Entry{"input", fmt::format("reading {}, to the device {}", milliseconds(input.io),
                                         milliseconds(input.to_device))});
  section.add(Entry{"gradients", fmt::format("{:.2f} MB", step.gradient_bytes() / 1e6)});
}

/// Lists why rows are unknown. Throws Error, unless `allow_missing`, if a number of GPUs has no
/// known row.
void add_unknown(Section& section, const std::vector<Scaling>& all, bool allow_missing) {
  std::set<std::int64_t> known;
  for (const Scaling& one : all) {
    if (one.iteration) known.insert(one.gpus);
  }
  Names reasons{.title = "not known"};
  for (const Scaling& one : all) {
    if (one.iteration) continue;
    if (!known.contains(one.gpus) && !allow_missing) {
      throw Error(fmt::format("{} GPUs: {}; {}, or say --allow-missing", one.gpus, one.reason,
                              how_to_measure));
    }
    const std::string text = fmt::format("{} GPUs, {}: {}", one.gpus, one.strategy, one.reason);
    if (std::ranges::find(reasons.names, text) == reasons.names.end()) {
      reasons.names.push_back(text);
    }
  }
  if (!reasons.names.empty()) section.add(std::move(reasons));
}

std::vector<Computation> computations_of(const Subject& subject,
                                         const std::vector<LayerTime>& times, double gradient_bytes,
                                         const GradientCopies& copies) {
  const std::vector<double> seconds = shared_seconds(times, subject.movement());
  std::vector<Computation> all{
      {"bound", worker_step(subject.graph, seconds, gradient_bytes, copies)}};
  const Profile* const profile = latency_profile(subject);
  const double bound = all.front().step.compute_seconds();
  if (profile != nullptr && bound > 0) {
    const double measured = model_latency(*profile)->seconds;
    all.push_back(
        {framework_name(*profile, subject.filter), scaled(all.front().step, measured / bound)});
  }
  return all;
}

double contention_of(const TrainingOptions& options, const DataParallel* measured) {
  if (options.contention > 0) return options.contention;
  return measured != nullptr ? measured->contention.value_or(1) : 1;
}

std::optional<EpochPrice> price_of(const Subject& subject, const TrainingOptions& options,
                                   const TrainingQuestion& asked) {
  if (asked.prices.empty()) return std::nullopt;
  EpochPrice price{.samples = options.epoch_samples};
  const auto found = asked.prices.find(device_of(subject.inputs.results.systems));
  if (found != asked.prices.end()) price.usd_per_hour = found->second;
  return price;
}

Section training_section_of(const Subject& subject, const TrainingOptions& options,
                            const TrainingQuestion& asked) {
  const Graph& graph = subject.graph;
  Section section = model_section(graph, subject.filter, subject.movement());
  const auto times = complete_times(subject);
  const double gradient_bytes =
      static_cast<double>(element_bytes(precision_of(options.gradients, "--gradients")));
  const DataParallel* const measured = data_parallel_of(latency_profile(subject));
  const auto computations =
      computations_of(subject, times, gradient_bytes, gradient_copies_of(measured));
  const OwnWork work = own_work_of(measured);
  InputTimes input = input_of(options, graph, subject.filter.precision);
  if (options.h2d_gbps == 0 && measured != nullptr) {
    input.to_device = measured->to_device_seconds.value_or(0);
  }
  const double contention = contention_of(options, measured);
  const auto all_strategies = strategies(asked.buckets, asked.buckets_name, contention);
  add_step(section, computations, input);
  if (computations.size() > 1) {
    section.add(
        fmt::format("{}: the step that was measured, shared among the layers as their "
                    "bounds are.",
                    computations.back().name));
  }
  section.facts["contention"] = contention;
  section.facts["gpus_per_node"] = asked.cluster.gpus_per_node;
  add_curve_error(section, asked.cluster.inside);
  if (asked.gpus.size() > 1 && !work.copy) {
    section.add(
        "Not counted: copies of gradients into buckets and back, buffers, the slowest worker. A "
        "--profile of scripts/profile-pytorch --train --ddp N has them.");
  }

  std::vector<IterationRow> rows;
  std::vector<Scaling> all;
  for (const Computation& one : computations) {
    all = scalings(one.step, input, asked.cluster, asked.gpus, all_strategies, work);
    for (const Scaling& scaling : all) rows.push_back({one.name, scaling});
  }
  if (measured != nullptr) {
    add_measured(section, computations.back().name, *measured, all, asked.buckets_name);
  }
  const WorkerStep& shown = computations.back().step;
  const auto each = fastest(all);
  section.add(breakdown(section.heading, shown, each));
  section.add(iterations_sheet(rows, graph, price_of(subject, options, asked)));
  section.add(speed_ups(section.heading, all));
  if (!each.empty()) section.add(timeline(section.heading, *each.back()));
  add_unknown(section, all, subject.allow_missing);
  add_left_out(section, graph, {}, is_partial(times, subject.movement()));
  if (asked.gpus.size() == 1) {
    section.add(fmt::format("One GPU only. Several need collectives: {}.", how_to_measure));
  }
  return section;
}

void training_answer(const TrainingOptions& options) {
  const TrainingQuestion asked = training_question_of(options);
  const Inputs inputs = read_inputs(options.common);
  const Page page = page_of("training", inputs, [&](const Subject& subject) {
    return std::optional(training_section_of(subject, options, asked));
  });
  publish(page, options.common, "training");
}

Action ask_training(Flags& flags) {
  const auto options = std::make_shared<TrainingOptions>();
  add_training_flags(flags, *options);
  return [options] { training_answer(*options); };
}

}  // namespace

Question training_question() {
  return {.name = "training",
          .help = "The time of a training step on one GPU and on several, and what limits it",
          .ask = ask_training};
}

}  // namespace benanza::analysis
