#include "suites/onednn/options.h"

#include "core/base/error.h"

namespace benanza::onednn {

CpuOptions take_cpu_options(int& argc, char** argv, const Environment& environment) {
  constexpr std::string_view flag = "--peaks=";
  CpuOptions options;
  if (const char* const peaks = environment("BENANZA_PEAKS"); peaks != nullptr && *peaks != 0) {
    options.peaks = peaks;
  }
  int kept = 1;
  for (int index = 1; index < argc; ++index) {
    const std::string_view argument = argv[index];
    if (!argument.starts_with(flag)) {
      argv[kept++] = argv[index];
      continue;
    }
    options.peaks = argument.substr(flag.size());
    if (options.peaks.empty()) {
      throw Error("--peaks=: expected measure, none or a results file");
    }
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
  return options;
}

std::vector<harness::BackendFlag> cpu_flags() {
  return {{"--peaks", "SOURCE",
           "peaks of arithmetic and bandwidth: measure (default), none, or a results file of this "
           "machine (also BENANZA_PEAKS)"}};
}

}  // namespace benanza::onednn
