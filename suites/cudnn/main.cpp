#include "suites/cublas/backend.h"
#include "suites/cudnn/backend.h"
#include "suites/cudnn/build_plans.h"
#include "suites/harness/registration.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/verify/verification_cases.h"

int main(int argc, char** argv) {
  using namespace benanza;
  if (argc == 2 && argv[1] == cudnn::plan_process_flag) return cudnn::build_plans_for_others();
  return nvidia::suite_main(argc, argv,
                            {.backend = nvidia::make_backend<cudnn::CudnnBackend>,
                             .products = nvidia::make_backend<cublas::CublasBackend>},
                            registration(), verify::verifier());
}
