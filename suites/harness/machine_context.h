#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace benanza::harness {

/// The program that writes a results file, for its context.
struct Writer {
  std::string executable;
  /// Names and values to add to the context.
  std::vector<std::pair<std::string, std::string>> context;
};

/// The context fields that Google Benchmark itself would write: date, host, executable, processors,
/// caches and load.
nlohmann::ordered_json machine_context(const Writer& writer);

/// The processor's name; "unknown" if the system does not report it.
std::string cpu_model();

/// Whether the system gives large pages to blocks that ask for them: "yes" or "no".
std::string large_pages();

/// Formats bytes, e.g. "3.1 GiB", "512 KiB", "17 B".
std::string bytes_text(double value);

}  // namespace benanza::harness
