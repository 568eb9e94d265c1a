#pragma once

#include <filesystem>
#include <map>
#include <string>

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

/// Throws Error naming both files and the first field that differs, unless the systems are equal.
void require_same_system(const Origin& first, const Origin& second);

}  // namespace benanza
