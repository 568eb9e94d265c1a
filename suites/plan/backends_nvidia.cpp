#include <cstdlib>
#include <utility>

#include "suites/cublas/backend.h"
#include "suites/cudnn/backend.h"
#include "suites/nvidia/device/options.h"
#include "suites/nvidia/run/context.h"
#include "suites/plan/backends.h"
#ifdef BENANZA_PLAN_CUTENSOR
#include "suites/cutensor/backend.h"
#endif

namespace benanza::plan {
namespace {

nvidia::CudaOptions options_of(int& argc, char** argv) {
  nvidia::CudaOptions options =
      nvidia::take_cuda_options(argc, argv, [](const char* name) { return std::getenv(name); });
  // CUDA reads this in its first call, which comes later.
  if (options.visible) ::setenv("CUDA_VISIBLE_DEVICES", options.visible->c_str(), 1);
  return options;
}

}  // namespace

struct Backends::Device {
  explicit Device(nvidia::CudaOptions options) : context(std::move(options)) {}

  nvidia::LazyContext context;
};

Backends::Backends(int& argc, char** argv)
    : device_(std::make_unique<Device>(options_of(argc, argv))) {
  nvidia::LazyContext& context = device_->context;
  owned_.push_back(std::make_unique<cudnn::CudnnBackend>(context));
  owned_.push_back(std::make_unique<cublas::CublasBackend>(context));
#ifdef BENANZA_PLAN_CUTENSOR
  owned_.push_back(std::make_unique<cutensor::CutensorBackend>(context));
#endif
  for (const auto& one : owned_) all_.push_back(one.get());
}

Backends::~Backends() = default;

harness::Allocator& Backends::memory() const { return all_.front()->allocator(); }

bool Backends::run_branches() { return true; }

std::vector<harness::BackendFlag> Backends::flags() { return nvidia::cuda_flags(); }

}  // namespace benanza::plan
