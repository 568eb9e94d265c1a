#include "suites/eigen/backend.h"
#include "suites/harness/program/bench_main.h"
#include "suites/harness/registration.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  const auto backend = eigen::make_backend();
  return harness::bench_main(argc, argv, *backend, registration(), verify::verifier());
}
