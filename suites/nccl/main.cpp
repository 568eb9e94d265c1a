// bench_nccl: collectives between the GPUs of this host, driven by one process.

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "suites/harness/choose/collective_problems.h"
#include "suites/harness/program/bench_main.h"
#include "suites/nccl/backend.h"
#include "suites/nccl/gpus.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  try {
    // Graphs and other calls of a communicator never run at the same time here, and support for
    // mixing them may block when one process launches graphs on several GPUs. The user's setting
    // wins.
    ::setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 0);
    harness::CollectiveOptions options = harness::take_collective_options(argc, argv);
    // If the user names numbers of ranks, each one with too few GPUs is reported.
    const auto backend = nccl::make_backend(options.ranks.empty() ? 2 : 1);
    if (options.ranks.empty()) options.ranks = nccl::worthwhile_ranks(nccl::visible_gpus());
    const std::vector<std::string> keys = harness::collective_keys(options);
    std::vector<const char*> problems;
    for (const std::string& key : keys) problems.push_back(key.c_str());
    return harness::bench_main(argc, argv, *backend,
                               {{problems}, {Precision::fp32, Precision::fp16, Precision::bf16}},
                               verify::verifier());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_nccl: %s\n", error.what());
    return static_cast<int>(harness::Exit::error);
  }
}
