#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace benanza::harness {

/// The program that writes a results file, for the file's context.
struct Writer {
  std::string executable;
  /// Names and values to add to the context.
  std::vector<std::pair<std::string, std::string>> context;
};

/// The fields of a results file's context that Google Benchmark itself would write: when, where and
/// by which program, processors, caches and load.
nlohmann::ordered_json machine_context(const Writer& writer);

/// The processor's name; "unknown" where the system does not say.
std::string cpu_model();

}  // namespace benanza::harness
