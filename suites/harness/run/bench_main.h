#pragma once

#include "suites/harness/backend.h"
#include "suites/harness/registration.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Exit statuses of a suite, beside 0 and those of a signal (128 + its number).
enum class Exit : int {
  /// It could not do what was asked: bad flags, an unreadable or unwritable file.
  error = 1,
  /// Every row is written, and some are incorrect or failed.
  bad_rows = 2,
  /// This is another machine than those whose results are to be joined (--one-system).
  other_system = 3,
  /// There is no device, or, with --ctest, the library has no such operator. CTest counts it as
  /// skipped.
  skipped = 77,
};

/// The program of a suite, after its backend is made. Prints its own errors; `registration` is what
/// is measured unless the command line says otherwise. Returns the exit status.
int bench_main(int argc, char** argv, Backend& backend, const Registration& registration,
               const Verifier& verifier);

}  // namespace benanza::harness
