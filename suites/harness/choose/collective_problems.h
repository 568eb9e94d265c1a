#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// What a suite of collectives measures if no problem is named: every collective over sizes of
/// powers of two, and the all-reduces of DeepBench.
struct CollectiveOptions {
  /// The numbers of ranks; empty: the suite's default.
  std::vector<std::int64_t> ranks{};
  /// Range of the size of a rank's largest tensor, in fp32.
  std::int64_t min_bytes = 256;
  std::int64_t max_bytes = std::int64_t{512} << 20;
  /// Number of sizes per power of two, spaced logarithmically and rounded to 64 bytes.
  std::int64_t steps = 1;

  bool operator==(const CollectiveOptions&) const = default;
};

/// Removes --ranks=N[,N...], --steps=N, --min-bytes=BYTES and --max-bytes=BYTES (suffixes K, M, G:
/// KiB, MiB, GiB) from argv; all other arguments stay, in order, for the harness. Throws Error
/// naming the flag and its value.
CollectiveOptions take_collective_options(int& argc, char** argv);

/// The flags above, for help.
std::vector<BackendFlag> collective_flags();

/// The keys, ordered by collective, then ranks, then size. Element counts are rounded up to a
/// multiple of the ranks if the collective requires it.
std::vector<std::string> collective_keys(const CollectiveOptions& options);

}  // namespace benanza::harness
