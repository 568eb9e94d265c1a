#include "suites/cublas/backend.h"
#include "suites/cutensor/backend.h"
#include "suites/harness/registration.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  return nvidia::suite_main(argc, argv,
                            {.backend = nvidia::make_backend<cutensor::CutensorBackend>,
                             .products = nvidia::make_backend<cublas::CublasBackend>},
                            registration(), verify::verifier());
}
