#include <cstdio>
#include <cstdlib>
#include <exception>

#include "suites/harness/program/bench_main.h"
#include "suites/harness/registration.h"
#include "suites/onednn/backend.h"
#include "suites/onednn/busy_machine.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  try {
    onednn::adapt_to_busy_machine(argc, argv);
    const onednn::CpuOptions options =
        onednn::take_cpu_options(argc, argv, [](const char* name) { return std::getenv(name); });
    const auto backend = onednn::make_backend(options);
    return harness::bench_main(argc, argv, *backend, registration(), verify::verifier());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_onednn: %s\n", error.what());
    return static_cast<int>(harness::Exit::error);
  }
}
