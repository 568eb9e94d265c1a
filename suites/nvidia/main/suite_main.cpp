#include "suites/nvidia/main/suite_main.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "suites/nvidia/device/check.h"
#include "suites/nvidia/device/device_lock.h"
#include "suites/nvidia/device/options.h"

namespace benanza {
namespace {

/// CTest counts a test that ends so as skipped.
constexpr int skipped = 77;

bool asks_for_help(int argc, char** argv) {
  for (int index = 1; index < argc; ++index) {
    if (argv[index] == std::string_view("--help")) return true;
  }
  return false;
}

}  // namespace

int cuda_suite_main(int argc, char** argv, const MakeCudaBackend& make,
                    const std::function<int(int, char**, Backend&)>& bench) {
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  try {
    if (asks_for_help(argc, argv)) std::cout << cuda_options_help() << std::flush;
    const CudaOptions options =
        take_cuda_options(argc, argv, [](const char* name) { return std::getenv(name); });
    // Read by the first call of CUDA, which comes after this line.
    if (options.visible) ::setenv("CUDA_VISIBLE_DEVICES", options.visible->c_str(), 1);
    CudaContext context(options);
    const DeviceLock lock(device_lock_file(device_uuid(options.device)), std::cerr);
    const std::unique_ptr<Backend> backend = make(context);
    std::vector<std::string> added;
    if (context.peaks()) {
      for (const auto& [name, value] : context_entries(*context.peaks())) {
        added.push_back("--benchmark_context=" + name + "=" + value);
      }
    }
    std::vector<char*> arguments(argv, argv + argc);
    for (std::string& flag : added) arguments.push_back(flag.data());
    const int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    return bench(count, arguments.data(), *backend);
  } catch (const NoGpu& none) {
    std::cerr << program << ": no NVIDIA GPU: " << none.what() << '\n';
    return skipped;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

}  // namespace benanza
