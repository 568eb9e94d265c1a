// bench_mpi: collectives between the ranks that mpirun starts. Rank 0 runs the program and directs
// the others.

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "suites/harness/choose/collective_problems.h"
#include "suites/harness/program/bench_main.h"
#include "suites/mpi/backend.h"
#include "suites/verify/verification_cases.h"

namespace {

int lead(int argc, char** argv, const benanza::mpi::World& world) {
  using namespace benanza;
  mpi::Team team(world);
  try {
    harness::CollectiveOptions options = harness::take_collective_options(argc, argv);
    if (options.ranks.empty()) options.ranks = {std::max(2, world.size())};
    const auto backend = mpi::make_backend(team);
    const std::vector<std::string> keys = harness::collective_keys(options);
    std::vector<const char*> problems;
    for (const std::string& key : keys) problems.push_back(key.c_str());
    return harness::bench_main(argc, argv, *backend, {{problems}, {Precision::fp32}},
                               verify::verifier());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mpi: %s\n", error.what());
    return static_cast<int>(harness::Exit::error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const benanza::mpi::World world(argc, argv);
    if (world.rank() == 0) return lead(argc, argv, world);
    // Rank 0 decides when to stop.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    benanza::mpi::follow(world);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mpi: %s\n", error.what());
    return static_cast<int>(benanza::harness::Exit::error);
  }
}
