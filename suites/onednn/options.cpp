#include "suites/onednn/options.h"

#include "core/base/error.h"
#include "suites/harness/own_flags.h"

namespace benanza::onednn {

CpuOptions take_cpu_options(int& argc, char** argv, const Environment& environment) {
  CpuOptions options;
  if (const char* const peaks = environment("BENANZA_PEAKS"); peaks != nullptr && *peaks != 0) {
    options.peaks = peaks;
  }
  harness::take_flags(argc, argv, [&](std::string_view argument) {
    const auto peaks = harness::flag_value(argument, "--peaks");
    if (!peaks) return false;
    if (peaks->empty()) throw Error("--peaks=: expected measure, none or a results file");
    options.peaks = *peaks;
    return true;
  });
  return options;
}

std::vector<harness::BackendFlag> cpu_flags() {
  return {{"--peaks", "SOURCE",
           "peaks of arithmetic and bandwidth: measure (default), none, or a results file of this "
           "machine (also BENANZA_PEAKS)"}};
}

}  // namespace benanza::onednn
