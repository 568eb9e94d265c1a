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

/// One call that does a layer's work, as logged by the library.
struct LibraryCall {
  /// "cudnn", "cublas" or "cublaslt".
  std::string library{};
  std::string function{};
  /// Key of the problem; empty if no problem describes the call.
  std::string problem{};
  /// The log's name for a call without a problem: "MATMUL POINTWISE", the operations of a graph.
  std::string detail{};
  /// The algorithm in the library's words: "engine 28 TILE_SIZE=4", "implicit_gemm", "algorithm
  /// 13"; a graph's engine behind the suites' word for how the graph states the problem
  /// ("residual."), if it is not the usual way. Empty if the log does not contain it.
  std::string algorithm{};
  /// Precision of the data.
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
};

namespace api_log {
class Entry;
}

/// A call with its process, thread and time, as far as logged.
struct LoggedCall {
  LibraryCall call{};
  /// cuBLASLt does not log it.
  std::optional<std::int64_t> process{};
  /// The operating system's number; cuBLAS does not log it.
  std::optional<std::int64_t> thread{};
  /// Start of the call in local wall-clock time, in seconds since 1970.
  std::optional<double> local_seconds{};
  /// True if that time has microseconds, not just seconds.
  bool is_precise = false;
};

/// Reads such a log incrementally: every call that does work on a device, including those without a
/// problem.
class ApiLogReader {
 public:
  using Use = std::function<void(const LoggedCall& call)>;
  ApiLogReader();
  ApiLogReader(ApiLogReader&&) noexcept;
  ~ApiLogReader();

  /// Consumes the whole lines of `bytes`, the next part of the log, and returns their length.
  std::size_t feed(std::string_view bytes, const Use& use);
  /// Call at the end of the log, with the bytes after the last line break: they may complete an
  /// entry.
  void finish(std::string_view rest, const Use& use);

 private:
  void take(std::string_view line, const Use& use);

  std::unique_ptr<api_log::Entry> entry_;
  std::optional<double> time_{};
  bool is_precise_ = false;
};

/// Convolutions, batch normalizations and products of a log of cuDNN (CUDNN_LOGLEVEL_DBG=2, or
/// CUDNN_LOGINFO_DBG=1), cuBLAS (CUBLAS_LOGINFO_DBG=1) or cuBLASLt (CUBLASLT_LOG_LEVEL=5), plain or
/// gzipped, in call order. An incomplete last entry is left out. Throws Error, one line, if the
/// file cannot be read or logs no such call.
std::vector<LibraryCall> read_api_log(const std::filesystem::path& path);

/// The same for a log's text; empty if there are none. Calls without a problem are left out.
std::vector<LibraryCall> api_calls(std::string_view text);

}  // namespace benanza
