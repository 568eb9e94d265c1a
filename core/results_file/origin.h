#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benanza {

/// The circumstances of a measurement: device, versions, threads. Versions are asked of the loaded
/// library. Two results may be joined only if their systems are equal.
using System = std::map<std::string, std::string>;

/// The best rates seen on a device, by name: "peak_fp16_flops_per_second",
/// "peak_bytes_per_second" on values as rows are measured on; "possible_..." of the same on the
/// most favourable ones, which nothing beats. Not there: not measured.
using PeakValues = std::map<std::string, double>;

/// Version of the format of results files, in their context.
inline constexpr int results_schema = 1;

/// Which backend measured, on which system, and where that was read. A results file has one:
///   {"context": {... Google Benchmark's members, and what --benchmark_context adds ...,
///                "peak_...", "possible_...": the device's peaks,
///                "benanza": {"schema": 1, "backend": "onednn", "system": {string: string}}},
///    "benchmarks": [row, ...]}
struct Origin {
  std::string backend{};
  System system{};
  PeakValues peaks{};
  std::filesystem::path file{};
};

/// A field whose values differ, or that only one of two systems has.
struct FieldDifference {
  std::string field{};
  std::optional<std::string> first{};
  std::optional<std::string> second{};
};

/// In the order of fields; empty for equal systems.
std::vector<FieldDifference> differences(const System& first, const System& second);

/// Those that both systems have: what only one of two versions of a suite tells does not set its
/// results apart.
std::vector<FieldDifference> contradictions(const System& first, const System& second);

/// Throws Error naming both files and the first contradiction, if there is one.
void require_same_system(const Origin& first, const Origin& second);

}  // namespace benanza
