#include "suites/eigen/backend.h"
#include "suites/harness/registration.h"
#include "suites/harness/run/bench_main.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  const auto backend = eigen::make_backend();
  return harness::bench_main(argc, argv, *backend, registration(), verify::verifier());
}
