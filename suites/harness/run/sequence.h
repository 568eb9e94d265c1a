#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// A call of a model: the variant that does it.
struct SequenceCall {
  std::string layer{};
  std::string op{};
  /// By itself, as the results have it; of one call.
  double seconds = 0;
  std::string name{};
};

/// What `benanza-analyze calls --out` writes: the calls of one model, in their order.
struct ModelCalls {
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::string precision{};
  bool fused = false;
  std::vector<SequenceCall> calls{};
};

/// Throws Error, one line.
ModelCalls read_sequence(const std::filesystem::path& path);

/// Sets up all calls of options.sequence, which share their data (shared_places.h), verifies
/// each, and times them back to back by the stopwatch of `backend`. `companions`
/// are further backends of its device. Writes what `benanza-analyze bound --sequence` reads to
/// options.sequence_out, and prints one line. Throws Error for a call of any other backend or one
/// that is refused or wrong.
void run_sequence(Backend& backend, std::span<Backend* const> companions,
                  const SuiteOptions& options, const Verifier& verifier);

}  // namespace benanza::harness
