#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// What a suite of collectives measures where no problem is named: every collective, over powers of
/// two of bytes, and the all-reduces of DeepBench.
struct CollectiveOptions {
  /// How many ranks take part; empty: the suite's own choice.
  std::vector<std::int64_t> ranks{};
  /// Of the largest tensor of a rank, in fp32.
  std::int64_t min_bytes = 256;
  std::int64_t max_bytes = std::int64_t{512} << 20;
  /// Sizes from one power of two to the next, evenly spread in the logarithm and rounded to 64
  /// bytes.
  std::int64_t steps = 1;

  bool operator==(const CollectiveOptions&) const = default;
};

/// Takes --ranks=N[,N...], --steps=N, --min-bytes=BYTES and --max-bytes=BYTES (suffixes K, M, G:
/// KiB, MiB, GiB) out of argv; everything else stays, in order, for the harness. Throws Error
/// naming the flag and its value.
CollectiveOptions take_collective_options(int& argc, char** argv);

/// For help.
std::vector<BackendFlag> collective_flags();

/// Keys, by collective, then ranks, then size. Where the ranks do not divide the elements, those
/// are rounded up.
std::vector<std::string> collective_keys(const CollectiveOptions& options);

/// "512 MiB" for `bytes` of so many.
std::string memory_text(double bytes);

}  // namespace benanza::harness
