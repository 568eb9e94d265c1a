#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace benanza::onednn {

/// The suite's flags beside the harness' own.
struct CpuOptions {
  /// Where the machine's peaks come from: "measure", "none", or a results file that says them.
  std::string peaks = "measure";

  bool operator==(const CpuOptions&) const = default;
};

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Takes --peaks=SOURCE out of argv; everything else stays, in order, for the harness. Without it,
/// the environment's BENANZA_PEAKS says it. Throws Error for an empty one.
CpuOptions take_cpu_options(int& argc, char** argv, const Environment& environment);

/// Lines for --help.
std::string_view cpu_options_help();

}  // namespace benanza::onednn
