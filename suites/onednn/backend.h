#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// The suite's own flags, in addition to the harness' flags.
struct CpuOptions {
  /// The source of the machine's peaks: "measure", "none", or a results file that contains them.
  std::string peaks = "measure";

  bool operator==(const CpuOptions&) const = default;
};

/// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Removes --peaks=SOURCE from argv; all other arguments stay, in order, for the harness. Without
/// the flag, uses the environment's BENANZA_PEAKS. Throws Error for an empty source.
CpuOptions take_cpu_options(int& argc, char** argv, const Environment& environment);

/// The flags for the help text.
std::vector<harness::BackendFlag> cpu_flags();

/// Makes the backend of oneDNN on the host's CPUs, with as many threads as OpenMP provides.
std::unique_ptr<harness::Backend> make_backend(const CpuOptions& options = {});

}  // namespace benanza::onednn
