#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benanza {

/// What a measurement depends on: device, versions, threads.
using System = std::map<std::string, std::string>;

/// The most a device has been seen to do, by name: "peak_fp16_flops_per_second",
/// "peak_bytes_per_second".
using PeakValues = std::map<std::string, double>;

/// Which backend measured, on which system, and where that was read.
struct Origin {
  std::string backend{};
  System system{};
  PeakValues peaks{};
  std::filesystem::path file{};
};

/// A field whose values differ, or that only one of two systems states.
struct FieldDifference {
  std::string field{};
  std::optional<std::string> first{};
  std::optional<std::string> second{};
};

/// In the order of fields; empty for equal systems.
std::vector<FieldDifference> differences(const System& first, const System& second);

/// Throws Error naming both files and the first field that differs, unless the systems are equal.
void require_same_system(const Origin& first, const Origin& second);

}  // namespace benanza
