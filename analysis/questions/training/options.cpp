#include "analysis/questions/training/options.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <utility>

#include "analysis/input/results.h"
#include "analysis/questions/common/flags.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

std::int64_t whole_number(const std::string& text, std::string_view flag) {
  const auto value = text::number<std::int64_t>(text);
  if (value && *value >= 1) return *value;
  throw Error(fmt::format("{} {}: give a whole number from 1", flag, text));
}

/// The buckets and their name.
std::pair<Buckets, std::string> buckets_of(const std::string& text) {
  if (text == "layer") return {Buckets::layer_by_layer(), "layer by layer"};
  if (text == "one") return {Buckets::one(), "one message"};
  const auto megabytes = text::number<double>(text);
  if (!megabytes || !(*megabytes > 0)) {
    throw Error("--bucket-mb " + text + ": give MiB, \"layer\" or \"one\"");
  }
  Buckets buckets;
  buckets.bytes = *megabytes * 1024 * 1024;
  return {buckets, "buckets of " + text + " MB"};
}

Cluster cluster_of(const TrainingOptions& options) {
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

std::vector<std::int64_t> gpus_of(const TrainingOptions& options, const Cluster& cluster) {
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

}  // namespace

void add_training_flags(Flags& flags, TrainingOptions& options) {
  add_common_flags(flags, options.common);
  flags.add("--collectives", options.collectives,
            "Results of bench_nccl or bench_mpi: the time of collectives", "FILE|DIR");
  flags.add("--collective-backend", options.collective_backend,
            "Which one to use if the results hold both: nccl or mpi", "NAME");
  flags.add_word("--gradients", options.gradients, {"fp32", "fp16", "bf16"},
                 "Data type of the exchanged gradients");
  flags.add("--gpus", options.gpus,
            "Numbers of GPUs, e.g. 1,2,4,8 (default: those in --collectives)", "N,...", ',');
  flags.add("--gpus-per-node", options.gpus_per_node,
            "GPUs per node; more than that span several nodes (default: the most in --collectives)",
            "N");
  flags.add("--bucket-mb", options.bucket,
            "MiB of gradients per message, as in PyTorch's DDP; \"layer\" or \"one\"", "MIB");
  flags.add("--io-seconds", options.io_seconds, 0, 1e6,
            "Seconds a node takes to read the samples of one GPU; its GPUs share the reader");
  flags.add("--images-per-second-io", options.io_samples_per_second, 0, 1e12,
            "The same, as samples per second of a node's reader");
  flags.add("--h2d-gbps", options.h2d_gbps, 0, 1e6,
            "GB/s from host memory to the device: adds the copy of the inputs");
  flags.add("--network", options.network,
            "Network between nodes: ALPHA,BETA (seconds, seconds per byte), or results of "
            "all_reduce with one rank per node",
            "FILE|ALPHA,BETA");
  flags.add("--contention", options.contention, 1, 100,
            "Factor by which computation slows down while gradients are exchanged");
  flags.add("--prices", options.prices,
            "JSON, {\"name of a device\": USD per hour}: adds USD per epoch", "FILE");
  flags.add("--epoch-samples", options.epoch_samples, 0, 1e15, "Samples per epoch");
  add_html_flag(flags, options.common);
}

TrainingQuestion training_question_of(const TrainingOptions& options) {
  TrainingQuestion asked;
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

InputTimes input_of(const TrainingOptions& options, const Graph& graph, Precision precision) {
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
    const std::int64_t bytes = given.bytes_at(element_bytes(precision));
    input.to_device = static_cast<double>(bytes) / (options.h2d_gbps * 1e9);
  }
  return input;
}

}  // namespace benanza::analysis
