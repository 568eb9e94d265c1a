// bench_cudnn with some calls slowed down.

#include <optional>

#include "suites/cudnn/backend.h"
#include "suites/harness/registration.h"
#include "suites/nvidia/main/suite_main.h"
#include "suites/nvidia/run/device_code.h"
#include "suites/tests/planted/planted.h"
#include "suites/verify/verification_cases.h"

namespace {

using namespace benanza;

std::unique_ptr<harness::Backend> make_planted(nvidia::LazyContext& device) {
  const auto code = std::make_shared<std::optional<nvidia::DeviceCode>>();
  const auto wait = [code, &device](double seconds) {
    if (!*code) code->emplace(1);
    (*code)->delay(seconds, device.get().stream());
  };
  return std::make_unique<harness::PlantedBackend>(
      nvidia::make_backend<cudnn::CudnnBackend>(device), harness::Plant::from_environment(), wait,
      [&device](const harness::Primitive& primitive) {
        device.get().stopwatch().forget(primitive);
      });
}

}  // namespace

int main(int argc, char** argv) {
  return nvidia::suite_main(argc, argv, {.backend = make_planted, .products = {}}, registration(),
                            verify::verifier());
}
