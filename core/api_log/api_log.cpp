#include "core/api_log/api_log.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "core/api_log/libraries.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/gzip.h"

namespace benanza {
namespace {

/// The function of "I! CuDNN (v91900 56) function cudnnCreate() called:", or of cuBLAS' form with a
/// result type.
std::string function_of(std::string_view line) {
  std::string_view declaration = api_log::between(line, " function ", "(");
  if (const auto space = declaration.rfind(' '); space != std::string_view::npos) {
    declaration.remove_prefix(space + 1);
  }
  return std::string(declaration);
}

/// Parses local time, "2026-11-21T16:09:04.382859 ..." or with a space instead of the T, into
/// seconds since 1970 as if it were UTC. Empty for any other text.
std::optional<double> wall_time(std::string_view text) {
  std::tm parts{};
  const std::string date(text.substr(0, 19));
  if (date.size() < 19) return std::nullopt;
  if (std::sscanf(date.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const auto seconds = static_cast<double>(::timegm(&parts));
  const std::string_view rest = text.substr(19);
  if (!rest.starts_with('.')) return seconds;
  const std::string fraction = "0" + std::string(rest.substr(0, rest.find_first_of(" \r")));
  return seconds + std::strtod(fraction.c_str(), nullptr);
}

}  // namespace

ApiLogReader::ApiLogReader() = default;
ApiLogReader::ApiLogReader(ApiLogReader&&) noexcept = default;
ApiLogReader::~ApiLogReader() = default;

void ApiLogReader::take(std::string_view line, const Use& use) {
  if (line.starts_with("I!")) {
    entry_ = std::make_unique<api_log::Entry>(function_of(line));
    time_.reset();
    is_precise_ = false;
  } else if (line.starts_with("i!") && entry_) {
    const std::string_view rest = api_log::trimmed(line.substr(2));
    if (rest.starts_with("Time: ")) {
      const std::string_view time = rest.substr(6);
      time_ = wall_time(time);
      is_precise_ = time.size() > 19 && time[19] == '.';
    } else if (rest.starts_with("Process=")) {  // the last line of an entry
      auto call = api_log::cudnn_call(*entry_);
      const bool tells_thread = entry_->function().starts_with("cudnn");
      if (!call) call = api_log::cublas_call(*entry_);
      entry_.reset();
      if (!call) return;
      use({.call = std::move(*call),
           .process = api_log::integer(api_log::between(rest, "Process=", ";")),
           .thread = tells_thread ? api_log::integer(api_log::between(rest, "Thread=", ";"))
                                  : std::nullopt,
           .local_seconds = time_,
           .is_precise = is_precise_});
    } else {
      entry_->add(line.substr(2));
    }
  } else if (line.find("[Trace][cublasLtMatmul]") != std::string_view::npos) {
    auto call = api_log::cublaslt_call(line);
    if (!call) return;
    use({.call = std::move(*call),
         .process = {},
         .thread = api_log::integer(api_log::between(line, "[cublasLt][", "]")),
         .local_seconds = wall_time(api_log::between(line, "[", "]"))});
  }
}

std::size_t ApiLogReader::feed(std::string_view bytes, const Use& use) {
  std::size_t done = 0;
  while (true) {
    const std::size_t end = bytes.find('\n', done);
    if (end == std::string_view::npos) return done;
    take(bytes.substr(done, end - done), use);
    done = end + 1;
  }
}

void ApiLogReader::finish(std::string_view rest, const Use& use) {
  // Not for cuBLASLt, where a truncated line looks like a complete one.
  if (rest.starts_with("i!")) take(rest, use);
}

std::vector<LibraryCall> api_calls(std::string_view text) {
  std::vector<LibraryCall> calls;
  const auto keep = [&](const LoggedCall& logged) {
    if (!logged.call.problem.empty()) calls.push_back(logged.call);
  };
  ApiLogReader reader;
  const std::size_t done = reader.feed(text, keep);
  reader.finish(text.substr(done), keep);
  return calls;
}

std::vector<LibraryCall> read_api_log(const std::filesystem::path& path) {
  std::string text = read_file(path);
  if (is_gzip(text)) {
    try {
      text = gunzip(text);
    } catch (const Error& reason) {
      throw Error(path.string() + ": " + reason.what() + "; log again");
    }
  }
  std::vector<LibraryCall> calls = api_calls(text);
  if (calls.empty()) {
    throw Error(path.string() +
                ": logs no convolution, batch normalisation or product; log with "
                "CUDNN_LOGLEVEL_DBG=2, CUBLAS_LOGINFO_DBG=1 or CUBLASLT_LOG_LEVEL=5");
  }
  return calls;
}

}  // namespace benanza
