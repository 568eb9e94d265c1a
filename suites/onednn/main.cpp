#include <cstdio>
#include <exception>

#include "suites/harness/run/bench_main.h"
#include "suites/onednn/backend.h"

int main(int argc, char** argv) {
  try {
    const auto backend = benanza::make_onednn_backend();
    return benanza::bench_main(argc, argv, *backend, benanza::registration());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_onednn: %s\n", error.what());
    return static_cast<int>(benanza::Exit::error);
  }
}
