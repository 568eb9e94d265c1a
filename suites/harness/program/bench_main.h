#pragma once

#include <span>

#include "suites/harness/backend.h"
#include "suites/harness/registration.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Exit statuses of a suite, besides 0 and 128 + the number of a signal.
enum class Exit : int {
  /// Invalid flags, an unreadable or unwritable file, or any other error.
  error = 1,
  /// All rows are written; some are incorrect or failed, or cases (--cases) not as expected.
  bad_rows = 2,
  /// The machine differs from those whose results are to be joined (--one-system).
  other_system = 3,
  /// There is no device, or, with --ctest, nothing matches the flags. CTest reports the test as
  /// skipped.
  skipped = 77,
};

/// The main program of a suite, after its backend is created. Measures `registration` unless the
/// command line says otherwise. `companions`: further backends of the same device, whose calls a
/// sequence may contain. Prints its own error messages. Returns the exit status.
int bench_main(int argc, char** argv, Backend& backend, const Registration& registration,
               const Verifier& verifier, std::span<Backend* const> companions = {});

}  // namespace benanza::harness
