#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benanza {

/// What a user can ask of an NVIDIA suite beyond the harness' own flags.
struct CudaOptions {
  /// Ordinal among the visible GPUs. CTest's resource allocation decides where no flag does.
  int device = 0;
  /// Largest workspace of one call, in bytes. Empty: what is free.
  std::optional<std::int64_t> max_workspace_bytes;
  /// Adds kernel names and their CUPTI times to every row.
  bool kernels = false;
  /// Adds hardware counters to every row.
  bool counters = false;

  bool operator==(const CudaOptions&) const = default;
};

/// Takes --device=N, --max-workspace=BYTES (suffixes K, M, G: KiB, MiB, GiB), --kernels and
/// --counters out of argv; everything else stays for the harness. `environment` is getenv, or a
/// test's. Throws Error naming the flag and its value.
CudaOptions take_cuda_options(int& argc, char** argv,
                              const char* (*environment)(const char*) = nullptr);

/// Lines for --help.
std::string_view cuda_options_help();

/// Bytes of "1073741824", "512M", "2G". Throws Error naming `flag`.
std::int64_t parse_bytes(std::string_view text, std::string_view flag);

}  // namespace benanza
