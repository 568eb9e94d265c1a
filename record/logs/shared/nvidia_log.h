#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/library/library_call.h"
#include "record/logs/shared/log.h"

/// The logs of NVIDIA's libraries.
namespace benanza::record {

/// Reads such logs incrementally, several in one file, too: an entry of Kind::call for everything
/// that a program called and that may do work on a device, whether or not a problem is known for
/// it. Calls that only describe, prepare or ask are left out.
class NvidiaLogReader {
 public:
  using Use = std::function<void(LogEntry entry)>;

  /// Consumes the whole lines of `bytes`, the next part of the log, and returns their length.
  std::size_t feed(std::string_view bytes, const Use& use);
  /// Call at the end of the log, with the bytes after the last line break: they may complete an
  /// entry.
  void finish(std::string_view rest, const Use& use);

 private:
  void take(std::string_view line, const Use& use);
  void begin(std::string_view line);
  void end(std::string_view process, const Use& use);

  /// The entry that is being read; empty if there is none, or it is left out.
  LogEntry entry_{};
};

/// True if a function of these libraries describes, prepares or asks, rather than does something.
bool prepares(std::string_view function);

/// Sets a variable to the path of the file to log to, and the switches; if the user has set it
/// already, only a remark is added.
void log_to(Environment& environment, const std::filesystem::path& file, const char* variable,
            std::initializer_list<std::pair<const char*, const char*>> switches,
            SwitchedOn& result);

/// Convolutions, batch normalizations and products of a log of cuDNN (CUDNN_LOGLEVEL_DBG=2, or
/// CUDNN_LOGINFO_DBG=1), cuBLAS (CUBLAS_LOGINFO_DBG=1) or cuBLASLt (CUBLASLT_LOG_LEVEL=5), plain or
/// gzipped, in call order. An incomplete last entry is left out. Throws Error, one line, if the
/// file cannot be read or logs no such call.
std::vector<LibraryCall> read_api_log(const std::filesystem::path& path);

/// The same for a log's text; empty if there are none. Calls without a problem are left out.
std::vector<LibraryCall> api_calls(std::string_view text);

}  // namespace benanza::record
