#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"

namespace benanza::analysis {

/// One call that does a layer's work, as the library logged it.
struct LibraryCall {
  /// "cudnn", "cublas" or "cublaslt".
  std::string library{};
  std::string function{};
  /// Key of the problem.
  std::string problem{};
  /// The algorithm in the library's own words: "engine 28 TILE_SIZE=4", "implicit_gemm",
  /// "algorithm 13". Empty if the log does not say.
  std::string algorithm{};
  /// Precision of the data.
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
};

/// Convolutions, batch normalisations and products of a log of cuDNN (CUDNN_LOGLEVEL_DBG=2, or
/// CUDNN_LOGINFO_DBG=1), cuBLAS (CUBLAS_LOGINFO_DBG=1) or cuBLASLt (CUBLASLT_LOG_LEVEL=5), plain or
/// in gzip, in the order they were called. A last entry that is cut short is left out. Throws
/// Error, one line, if the file cannot be read or logs no such call.
std::vector<LibraryCall> read_api_log(const std::filesystem::path& path);

/// The same of a log's text; empty if there are none.
std::vector<LibraryCall> api_calls(std::string_view text);

}  // namespace benanza::analysis
