#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza {

enum class Status { ok, unsupported, incorrect, failed };
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);

/// The median is known well enough.
inline constexpr std::string_view stopped_by_convergence = "converged";
/// The time for it was spent.
inline constexpr std::string_view stopped_by_budget = "budget";
/// Another variant of the problem is so much faster that it does not matter how slow this one is.
inline constexpr std::string_view stopped_by_rival = "outclassed";

/// Outcome of one variant. Everything after `reason` is known only where the status is ok.
struct Outcome {
  Status status = Status::failed;
  /// One line, in the library's words where it refused. Empty if the status is ok.
  std::string reason;
  /// Seconds per call, one value per sample, in the order they were taken.
  std::vector<double> samples;
  std::int64_t calls_per_sample = 0;
  std::int64_t workspace_bytes = 0;
  /// Seconds spent inside timed regions, warm-up not included.
  double timed_seconds = 0;
  /// Why sampling stopped: one of the words above.
  std::string stopped_by;
  /// True if this variant took the engine down: it is not tried again.
  bool engine_lost = false;
  Facts facts;
};

/// True if another repetition, now or in a later run, is pointless: the library refused, the engine
/// went down, or the variant was outclassed.
bool settled(const Outcome& outcome);

}  // namespace benanza
