// benanza-analyze training: the time of a training step on one GPU and on several.

#include "analysis/questions/training/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <tuple>

#include "analysis/model/whole.h"
#include "analysis/questions/common/prices.h"
#include "analysis/questions/question.h"
#include "analysis/questions/training/cluster.h"
#include "analysis/questions/training/measured.h"
#include "analysis/questions/training/strategies.h"
#include "analysis/questions/training/worker.h"
#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct Options {
  CommonFlags common;
  std::vector<std::string> collectives;
  std::string collective_backend;
  std::string gradients = "fp32";
  std::vector<std::string> gpus;
  std::string gpus_per_node;
  std::string bucket = "25";
  double io_seconds = 0;
  double io_samples_per_second = 0;
  double h2d_gbps = 0;
  std::string network;
  /// 0: not stated.
  double contention = 0;
  std::string prices;
  double epoch_samples = 0;
  std::string html;
};

constexpr const char* how_to_measure =
    "measure them: bench_nccl --benchmark_out=nccl.json (without GPUs: mpirun -n 2 bench_mpi "
    "--benchmark_out=mpi.json), and say --collectives FILE";

std::int64_t whole_number(const std::string& text, std::string_view flag) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw Error(fmt::format("{} {}: give a whole number from 1", flag, text));
  }
  return value;
}

/// And what they are called.
std::pair<Buckets, std::string> buckets_of(const std::string& text) {
  if (text == "layer") return {Buckets::layer_by_layer(), "layer by layer"};
  if (text == "one") return {Buckets::one(), "one message"};
  double megabytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  if (error != std::errc{} || end != text.data() + text.size() || !(megabytes > 0)) {
    throw Error("--bucket-mb " + text + ": give MiB, \"layer\" or \"one\"");
  }
  Buckets buckets;
  buckets.bytes = megabytes * 1024 * 1024;
  return {buckets, "buckets of " + text + " MB"};
}

/// What is asked, after all files but the models' are read.
struct Asked {
  Cluster cluster;
  /// Ascending.
  std::vector<std::int64_t> gpus;
  Buckets buckets;
  std::string buckets_name;
  Prices prices;
};

Cluster cluster_of(const Options& options) {
  Cluster cluster;
  const Precision gradients = precision_of(options.gradients, "--gradients");
  if (!options.collectives.empty()) {
    const Results results = read_results({options.collectives.begin(), options.collectives.end()});
    cluster.inside = collective_curves(results.measurements, gradients, options.collective_backend);
    if (cluster.inside.curves.empty()) {
      throw Error(fmt::format("{}: no collective at {}: {}", options.collectives.front(),
                              options.gradients, how_to_measure));
    }
  }
  const auto ranks = cluster.inside.ranks_of(CollectiveKind::all_reduce);
  if (!ranks.empty()) cluster.gpus_per_node = ranks.back();
  if (!options.gpus_per_node.empty()) {
    cluster.gpus_per_node = whole_number(options.gpus_per_node, "--gpus-per-node");
  }
  if (options.network.empty()) return cluster;
  cluster.network = parse_alpha_beta(options.network);
  if (!cluster.network) {
    cluster.between =
        collective_curves(read_results({options.network}).measurements, gradients, "");
  }
  return cluster;
}

std::vector<std::int64_t> gpus_of(const Options& options, const Cluster& cluster) {
  std::set<std::int64_t> all{1};
  if (options.gpus.empty()) {
    for (const std::int64_t ranks : cluster.inside.ranks_of(CollectiveKind::all_reduce)) {
      all.insert(ranks);
    }
  }
  for (const std::string& text : options.gpus) all.insert(whole_number(text, "--gpus"));
  const bool connected = !cluster.inside.curves.empty() || !options.network.empty();
  if (*all.rbegin() > 1 && !connected) {
    throw Error(fmt::format("--gpus {}: needs collectives: {}", *all.rbegin(), how_to_measure));
  }
  for (const std::int64_t gpus : all) {
    if (gpus > cluster.gpus_per_node && gpus % cluster.gpus_per_node != 0) {
      throw Error(fmt::format("--gpus {}: are no whole nodes of {} (--gpus-per-node)", gpus,
                              cluster.gpus_per_node));
    }
  }
  return {all.begin(), all.end()};
}

Asked asked_of(const Options& options) {
  Asked asked;
  if (options.io_seconds > 0 && options.io_samples_per_second > 0) {
    throw Error("--io-seconds and --images-per-second-io: give one of them");
  }
  if (!options.prices.empty() && !(options.epoch_samples > 0)) {
    throw Error("--prices: needs --epoch-samples, how many samples an epoch has");
  }
  std::tie(asked.buckets, asked.buckets_name) = buckets_of(options.bucket);
  asked.prices = read_prices(options.prices);
  asked.cluster = cluster_of(options);
  asked.gpus = gpus_of(options, asked.cluster);
  return asked;
}

InputTimes input_of(const Options& options, const Graph& graph, Precision precision) {
  InputTimes input{.io = options.io_seconds};
  if (options.io_samples_per_second > 0) {
    if (!graph.batch) throw Error(title(graph) + ": --images-per-second-io needs a batch size");
    input.io = static_cast<double>(*graph.batch) / options.io_samples_per_second;
  }
  if (options.h2d_gbps > 0) {
    if (!graph.compulsory) {
      throw Error(title(graph) + ": does not say what it is given: leave --h2d-gbps out");
    }
    const Traffic& given = graph.compulsory->inputs;
    const std::int64_t bytes = given.elements * element_bytes(precision) + given.bytes;
    input.to_device = static_cast<double>(bytes) / (options.h2d_gbps * 1e9);
  }
  return input;
}

/// What the computation's seconds come from, "bound" or a framework's name.
struct Computation {
  std::string name;
  WorkerStep step;
};

Sheet sheet_of(bool with_usd) {
  Sheet sheet{.name = "iterations",
              .columns = {{"computation", "computation"},
                          {"GPUs", "gpus", true},
                          {"strategy", "strategy"},
                          {"ms", "seconds", true},
                          {"messages", "messages", true},
                          {"comm. ms", "communication_seconds", true},
                          {"exposed ms", "exposed_communication_seconds", true},
                          {"contention ms", "contention_seconds", true},
                          {"copies ms", "copies_seconds", true},
                          {"other ms", "other_seconds", true},
                          {"waits ms", "exposed_input_seconds", true},
                          {"samples/s", "samples_per_second", true},
                          {"speed-up", "speed_up", true},
                          {"efficiency", "efficiency", true},
                          {"bottleneck", "bottleneck"}},
              .all_rows = true};
  if (with_usd) sheet.columns.push_back({"USD/epoch", "usd_per_epoch", true});
  return sheet;
}

std::vector<Cell> row_of(const std::string& computation, const Scaling& one, const Graph& graph) {
  std::vector<Cell> row{text_cell(computation), count_cell(static_cast<std::size_t>(one.gpus)),
                        text_cell(one.strategy)};
  const auto seconds = [&](double Iteration::*member) {
    return ms_cell(one.iteration ? std::optional((*one.iteration).*member) : std::nullopt);
  };
  row.push_back(seconds(&Iteration::seconds));
  row.push_back(one.iteration ? count_cell(one.messages) : Cell{"-", nullptr});
  row.push_back(seconds(&Iteration::communication_seconds));
  row.push_back(seconds(&Iteration::exposed_communication_seconds));
  row.push_back(seconds(&Iteration::contention_seconds));
  const auto sum = [&](double first, double second, double third) {
    return ms_cell(one.iteration ? std::optional(first + second + third) : std::nullopt);
  };
  const Iteration found = one.iteration.value_or(Iteration{});
  row.push_back(sum(found.pack_seconds, found.unpack_seconds, 0));
  row.push_back(sum(found.buffers_seconds, found.slowest_seconds, found.host_seconds));
  row.push_back(seconds(&Iteration::exposed_input_seconds));
  if (one.iteration && graph.batch && one.iteration->seconds > 0) {
    const double rate = static_cast<double>(*graph.batch * one.gpus) / one.iteration->seconds;
    row.push_back({fmt::format("{:.0f}", rate), rate});
  } else {
    row.push_back({"-", nullptr});
  }
  row.push_back(factor_cell(one.iteration ? std::optional(one.speed_up) : std::nullopt));
  row.push_back(percent_cell(one.iteration ? std::optional(one.efficiency) : std::nullopt));
  row.push_back(one.iteration ? text_cell(std::string(to_string(one.bottleneck)))
                              : Cell{"-", nullptr});
  return row;
}

/// Of one epoch, whatever the number of GPUs: all of them are paid for.
std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price) {
  if (!one.iteration || !graph.batch || !price) return std::nullopt;
  return samples / static_cast<double>(*graph.batch) * one.iteration->seconds / seconds_per_hour *
         *price;
}

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

/// Says why rows are not known; an Error where a number of GPUs has no row that is.
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
    const double measured = median(profile->latency_seconds);
    all.push_back(
        {framework_name(*profile, subject.filter), scaled(all.front().step, measured / bound)});
  }
  return all;
}

Section section_of(const Subject& subject, const Options& options, const Asked& asked) {
  const Graph& graph = subject.graph;
  Section section = model_section(graph, subject.filter, subject.movement());
  const auto times =
      operator_times(graph, subject.measurements(), subject.filter, subject.movement());
  if (!subject.allow_missing) {
    require_complete(graph, times, to_string(subject.filter.precision));
  }
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
  const double contention = options.contention > 0 ? options.contention
                            : measured != nullptr  ? measured->contention.value_or(1)
                                                   : 1;
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

  const auto price = asked.prices.find(device_of(subject.inputs.results.systems));
  const std::optional<double> usd =
      price == asked.prices.end() ? std::nullopt : std::optional(price->second);
  Sheet sheet = sheet_of(!asked.prices.empty());
  std::vector<Scaling> all;
  for (const Computation& one : computations) {
    all = scalings(one.step, input, asked.cluster, asked.gpus, all_strategies, work);
    for (const Scaling& scaling : all) {
      sheet.rows.push_back(row_of(one.name, scaling, graph));
      if (asked.prices.empty()) continue;
      sheet.rows.back().push_back(
          usd_cell(usd_per_epoch(scaling, graph, options.epoch_samples, usd)));
    }
  }
  if (measured != nullptr) {
    add_measured(section, computations.back().name, *measured, all, asked.buckets_name);
  }
  const WorkerStep& shown = computations.back().step;
  const auto each = fastest(all);
  section.add(breakdown(section.heading, shown, each));
  section.add(std::move(sheet));
  section.add(speed_ups(section.heading, all));
  if (!each.empty()) section.add(timeline(section.heading, *each.back()));
  add_unknown(section, all, subject.allow_missing);
  add_left_out(section, graph, {}, is_partial(times));
  if (asked.gpus.size() == 1) {
    section.add(fmt::format("One GPU only. Several need collectives: {}.", how_to_measure));
  }
  return section;
}

void answer(const Options& options) {
  const Asked asked = asked_of(options);
  const Inputs inputs = read_inputs(options.common);
  const Page page = page_of("training", inputs, [&](const Subject& subject) {
    return std::optional(section_of(subject, options, asked));
  });
  if (!options.html.empty()) write_file(options.html, page_html(page, "Benanza: training"));
  print(page, inputs);
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  add_common_flags(flags, options->common);
  flags.add("--collectives", options->collectives,
            "Results of bench_nccl or bench_mpi: the time of collectives", "FILE|DIR");
  flags.add("--collective-backend", options->collective_backend,
            "Of results of several: nccl or mpi", "NAME");
  flags.add_word("--gradients", options->gradients, {"fp32", "fp16", "bf16"},
                 "Type in which gradients travel");
  flags.add("--gpus", options->gpus, "How many, e.g. 1,2,4,8 (default: those of --collectives)",
            "N,...", ',');
  flags.add("--gpus-per-node", options->gpus_per_node,
            "More than these are on several nodes (default: the most of --collectives)", "N");
  flags.add("--bucket-mb", options->bucket,
            "MiB of gradients sent together, as PyTorch's DDP; \"layer\" or \"one\"", "MIB");
  flags.add("--io-seconds", options->io_seconds, 0, 1e6,
            "Seconds in which a node reads the samples of one GPU; its GPUs share the reader");
  flags.add("--images-per-second-io", options->io_samples_per_second, 0, 1e12,
            "The same as samples a second of a node's reader");
  flags.add("--h2d-gbps", options->h2d_gbps, 0, 1e6,
            "GB/s from the host's memory to the device: adds the way of the inputs");
  flags.add("--network", options->network,
            "Between nodes: ALPHA,BETA (seconds, seconds per byte), or results of all_reduce with "
            "a rank on each node",
            "FILE|ALPHA,BETA");
  flags.add("--contention", options->contention, 1, 100,
            "How many times as long computation takes while gradients travel");
  flags.add("--prices", options->prices,
            "JSON, {\"name of a device\": USD per hour}: adds USD per epoch", "FILE");
  flags.add("--epoch-samples", options->epoch_samples, 0, 1e15, "Samples of an epoch");
  flags.add("--html", options->html, "Write the answer as a page with plots, too", "HTML");
  return [options] { answer(*options); };
}

}  // namespace

Question training_question() {
  return {.name = "training",
          .help = "The time of a training step on one GPU and on several, and what limits it",
          .ask = ask};
}

}  // namespace benanza::analysis
