// bench_onednn with some calls slowed down.

#include <cstdio>
#include <exception>

#include "suites/harness/program/bench_main.h"
#include "suites/harness/registration.h"
#include "suites/onednn/backend.h"
#include "suites/tests/planted/planted.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  try {
    harness::PlantedBackend backend(onednn::make_backend(), harness::Plant::from_environment(), {},
                                    [](const harness::Primitive&) {});
    return harness::bench_main(argc, argv, backend, registration(), verify::verifier());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_onednn: %s\n", error.what());
    return static_cast<int>(harness::Exit::error);
  }
}
