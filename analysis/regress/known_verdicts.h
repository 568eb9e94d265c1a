#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/regress/known_failures.h"
#include "analysis/render/page.h"
#include "core/results_file/row.h"

namespace benanza::regress {

/// What one version of a library gave, on one machine.
struct VersionResults {
  std::string backend{};
  Version version{};
  /// As the library reports it.
  std::string version_text{};
  System system{};
  std::vector<Row> rows{};
};
/// Reads a results file. Throws Error, one line, if it does not name its library's version.
VersionResults read_version(const std::string& file);

/// Limits of what counts as found, as factors on the same problem in a version without the failure
/// (slow, cold_start, memory) or on the library's own fastest call (worse_choice).
inline constexpr double slow_factor = 1.1;
/// Calls of one process are equally fast up to this (memory).
inline constexpr double equal_factor = 1.05;
/// Times of different moments differ by up to this, on machines that look quiet (slow).
inline constexpr double apart_factor = 1.5;
/// And more than this is no chance on any machine.
inline constexpr double beyond_doubt_factor = 4;
inline constexpr double cold_factor = 3;
inline constexpr double memory_factor = 2;
/// Below these, differences are not found: noise, and what nobody notices.
inline constexpr double least_cold_seconds = 0.05;
inline constexpr double least_memory_bytes = 1 << 20;

/// The flag of a suite by which it leaves out calls of a problem that takes too long.
inline constexpr std::string_view problem_limit_flag = "--problem-limit";

/// Whether a version's results show a failure: empty if they cannot tell, with the reason.
struct Evidence {
  std::optional<bool> found{};
  std::string text{};
  /// Turns with this version would tell, or tell for certain.
  const VersionResults* rival = nullptr;
};
/// `healthy`: results of versions that do not have it.
Evidence evidence(const KnownFailure& failure, const VersionResults& results,
                  std::span<const VersionResults* const> healthy);

/// What source and measurement say together.
enum class KnownVerdict {
  /// Present by the source, and seen.
  found,
  /// Present by the source, and not seen.
  missed,
  /// Seen in a version that the source does not name: there, too, or another change.
  unreported,
  /// Not present by the source, and not seen.
  quiet,
  /// The source does not say; seen, not seen.
  seen,
  not_seen,
  /// The results cannot tell.
  unknown,
};
std::string_view to_string(KnownVerdict verdict);
KnownVerdict verdict_of(Presence presence, const Evidence& evidence);

struct JudgedFailure {
  const KnownFailure* failure = nullptr;
  const VersionResults* results = nullptr;
  Presence presence = Presence::unknown;
  Evidence evidence{};
  KnownVerdict verdict = KnownVerdict::unknown;
};
/// Every failure in every version of its library, in order. The result points into both.
std::vector<JudgedFailure> judge_failures(std::span<const KnownFailure> failures,
                                          std::span<const VersionResults> versions);

/// Something is found or seen.
bool any_found(std::span<const JudgedFailure> judged);
analysis::Section known_section(std::span<const JudgedFailure> judged);

}  // namespace benanza::regress
