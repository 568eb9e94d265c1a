#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"

namespace benanza {

/// One call that does a layer's work, as the library logged it.
struct LibraryCall {
  /// "cudnn", "cublas" or "cublaslt".
  std::string library{};
  std::string function{};
  /// Key of the problem; empty where no problem says what the call does.
  std::string problem{};
  /// What the log calls it then: "MATMUL POINTWISE", the operations of a graph.
  std::string detail{};
  /// The algorithm in the library's own words: "engine 28 TILE_SIZE=4", "implicit_gemm",
  /// "algorithm 13". Empty if the log does not say.
  std::string algorithm{};
  /// Precision of the data.
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
};

namespace api_log {
class Entry;
}

/// A call, and what the log tells of who made it and when.
struct LoggedCall {
  LibraryCall call{};
  std::optional<std::int64_t> process{};
  /// The system's number; cuBLAS and cuBLASLt do not tell it.
  std::optional<std::int64_t> thread{};
  /// When it began, as a clock on the wall of the machine shows it, in seconds since 1970.
  std::optional<double> local_seconds{};
  /// That time has microseconds, not just seconds.
  bool is_precise = false;
};

/// Reads such a log as it comes: every call that lets a device work, those without a problem
/// included.
class ApiLogReader {
 public:
  using Use = std::function<void(const LoggedCall& call)>;
  ApiLogReader();
  ApiLogReader(ApiLogReader&&) noexcept;
  ~ApiLogReader();

  /// Takes the whole lines of `bytes`, the log's next ones, and returns how many bytes those were.
  std::size_t feed(std::string_view bytes, const Use& use);
  /// The log ended with these bytes, which end no line: they may be the end of an entry.
  void finish(std::string_view rest, const Use& use);

 private:
  void take(std::string_view line, const Use& use);

  std::unique_ptr<api_log::Entry> entry_;
  std::optional<double> time_{};
  bool is_precise_ = false;
};

/// Convolutions, batch normalisations and products of a log of cuDNN (CUDNN_LOGLEVEL_DBG=2, or
/// CUDNN_LOGINFO_DBG=1), cuBLAS (CUBLAS_LOGINFO_DBG=1) or cuBLASLt (CUBLASLT_LOG_LEVEL=5), plain or
/// in gzip, in the order they were called. A last entry that is cut short is left out. Throws
/// Error, one line, if the file cannot be read or logs no such call.
std::vector<LibraryCall> read_api_log(const std::filesystem::path& path);

/// The same of a log's text; empty if there are none. Calls without a problem are left out.
std::vector<LibraryCall> api_calls(std::string_view text);

}  // namespace benanza
