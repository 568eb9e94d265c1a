#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/iteration.h"
#include "analysis/questions/common/flags.h"
#include "analysis/questions/common/inputs.h"
#include "analysis/questions/training/strategies.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The flags of `benanza-analyze training`, as given.
struct TrainingOptions {
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
  /// 0: not given.
  double contention = 0;
  std::string prices;
  double epoch_samples = 0;
};

void add_training_flags(Flags& flags, TrainingOptions& options);

/// The parsed flags, with the files of collectives, network and prices read.
struct TrainingQuestion {
  Cluster cluster;
  /// Ascending.
  std::vector<std::int64_t> gpus;
  Buckets buckets;
  std::string buckets_name;
  Prices prices;
};

/// Throws Error, naming the flag, for an invalid value, for flags that exclude or require each
/// other, and for numbers of GPUs without the collectives that they need.
TrainingQuestion training_question_of(const TrainingOptions& options);

/// The cost of the step's input from --io-seconds, --images-per-second-io and --h2d-gbps. Throws
/// Error if the model does not state its inputs.
InputTimes input_of(const TrainingOptions& options, const Graph& graph, Precision precision);

/// Hint for users without measured collectives.
inline constexpr const char* how_to_measure =
    "measure them: bench_nccl --benchmark_out=nccl.json (without GPUs: mpirun -n 2 bench_mpi "
    "--benchmark_out=mpi.json), and say --collectives FILE";

}  // namespace benanza::analysis
