#include "suites/cudnn/backend.h"
#include "suites/harness/run/bench_main.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/nvidia/main/measure_peaks.h"

int main(int argc, char** argv) {
  return benanza::cuda_suite_main(
      argc, argv,
      [](benanza::CudaContext& context) {
        context.set_peaks(benanza::measure_peaks(context));
        return std::make_unique<benanza::cudnn::CudnnBackend>(context);
      },
      [](int count, char** arguments, benanza::Backend& backend) {
        return benanza::bench_main(count, arguments, backend, benanza::registration());
      });
}
