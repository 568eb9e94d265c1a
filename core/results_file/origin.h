#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benanza {

/// The circumstances of a measurement: device, versions, threads. Versions are those that the
/// loaded library reports. Two results may be joined only if their systems do not contradict each
/// other.
using System = std::map<std::string, std::string>;

/// The best rates seen on a device, by name. "peak_fp16_flops_per_second", "peak_bytes_per_second":
/// on the same values as rows are measured on. "possible_...": on the most favourable values, an
/// upper limit. Absent if not measured.
using PeakValues = std::map<std::string, double>;

/// Seconds of calls that belong to no library and are the same in every version of the suites, by
/// name ("arithmetic", "copy"), each several times over a run: they tell a slower machine from a
/// slower library. Absent if not measured.
using AnchorTimes = std::map<std::string, std::vector<double>>;

/// Version of the results-file format, stored in the context.
inline constexpr int results_schema = 1;

/// The backend that measured, its system, and the file it was read from. A results file has one:
///   {"context": {... Google Benchmark's members, and what --benchmark_context adds ...,
///                "peak_...", "possible_...": the device's peaks,
///                "anchor_<name>_seconds": "1.2e-3 1.3e-3 ...": the anchors' times,
///                "benanza": {"schema": 1, "backend": "onednn", "system": {string: string}}},
///    "benchmarks": [row, ...]}
struct Origin {
  std::string backend{};
  System system{};
  PeakValues peaks{};
  AnchorTimes anchors{};
  std::filesystem::path file{};
};

/// The version of the backend's library, "9.19.0": the field of the system named as the backend, or
/// that with "_version".
std::optional<std::string> library_version(const std::string& backend, const System& system);

/// The backend with that version, "onednn 2.6.3", or alone if there is none.
std::string library_name(const std::string& backend, const System& system);

/// A field whose values differ, or that only one of two systems has.
struct FieldDifference {
  std::string field{};
  std::optional<std::string> first{};
  std::optional<std::string> second{};
};

/// Sorted by field; empty for equal systems.
std::vector<FieldDifference> differences(const System& first, const System& second);

/// Only the differences in fields that both systems have: a field that only one version of a suite
/// reports does not make results incompatible, unless what was the case before is known.
std::vector<FieldDifference> contradictions(const System& first, const System& second);

/// Appends the times of each anchor, unless they are already among those held: the same file may be
/// read twice.
void add_anchors(AnchorTimes& held, const AnchorTimes& more);

/// Throws Error naming both files and the first contradiction, if there is one.
void require_same_system(const Origin& first, const Origin& second);

}  // namespace benanza
