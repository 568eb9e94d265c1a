#include "suites/nvidia/main/suite_main.h"

#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "suites/nvidia/device/options.h"
#include "suites/nvidia/main/measure_peaks.h"

namespace benanza::nvidia {
namespace {

/// Keeps freed memory in the heap, so that the next problem's operands, hundreds of megabytes each,
/// reuse its pages. Page faults took a third of the time of checking DeepBench's products.
void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace

int suite_main(int argc, char** argv, const CudaSuite& suite,
               const harness::Registration& registration, const harness::Verifier& verifier) {
  keep_freed_memory();
  try {
    const CudaOptions options =
        take_cuda_options(argc, argv, [](const char* name) { return std::getenv(name); });
    // CUDA reads this in its first call, which comes later.
    if (options.visible) ::setenv("CUDA_VISIBLE_DEVICES", options.visible->c_str(), 1);
    LazyContext device(options);
    if (suite.products) {
      device.measure_peaks_with([&suite](LazyContext& context) {
        const auto products = suite.products(context);
        return measure_peaks(context.get(), *products);
      });
    }
    const auto backend = suite.backend(device);
    std::vector<harness::Backend*> companions;
    const auto products = suite.products ? suite.products(device) : nullptr;
    if (products && products->name() != backend->name()) companions.push_back(products.get());
    return harness::bench_main(argc, argv, *backend, registration, verifier, companions);
  } catch (const std::exception& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": " << error.what() << '\n';
    return static_cast<int>(harness::Exit::error);
  }
}

}  // namespace benanza::nvidia
