#include "analysis/profiles/api_log/api_log.h"

#include <algorithm>

#include "analysis/profiles/api_log/libraries.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/gzip.h"

namespace benanza::analysis {
namespace {

/// "I! CuDNN (v91900 56) function cudnnCreate() called:", or cuBLAS' form with a result type.
std::string function_of(std::string_view line) {
  std::string_view declaration = api_log::between(line, " function ", "(");
  if (const auto space = declaration.rfind(' '); space != std::string_view::npos) {
    declaration.remove_prefix(space + 1);
  }
  return std::string(declaration);
}

}  // namespace

std::vector<LibraryCall> api_calls(std::string_view text) {
  std::vector<LibraryCall> calls;
  const auto keep = [&](const std::optional<LibraryCall>& call) {
    if (call && !call->problem.empty()) calls.push_back(*call);
  };
  std::optional<api_log::Entry> entry;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool whole = end < text.size();
    text.remove_prefix(whole ? end + 1 : end);
    if (line.starts_with("I!")) {
      entry.emplace(function_of(line));
    } else if (line.starts_with("i!") && entry) {
      const std::string_view rest = line.substr(2);
      if (api_log::trimmed(rest).starts_with("Process=")) {  // the last line of an entry
        const auto call = api_log::cudnn_call(*entry);
        keep(call ? call : api_log::cublas_call(*entry));
        entry.reset();
      } else {
        entry->add(rest);
      }
    } else if (whole && line.find("[Trace][cublasLtMatmul]") != std::string_view::npos) {
      keep(api_log::cublaslt_call(line));
    }
  }
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

}  // namespace benanza::analysis
