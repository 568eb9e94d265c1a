#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

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

/// For help.
std::vector<harness::BackendFlag> cpu_flags();

}  // namespace benanza::onednn
