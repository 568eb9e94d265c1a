#include "suites/cublas/backend.h"
#include "suites/harness/registration.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  const nvidia::MakeBackend cublas = nvidia::make_backend<cublas::CublasBackend>;
  return nvidia::suite_main(argc, argv, {.backend = cublas, .products = cublas}, registration(),
                            verify::verifier());
}
