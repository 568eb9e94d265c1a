#include "record/logs/shared/nvidia_log.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/gzip.h"
#include "core/base/text.h"
#include "record/logs/shared/entry.h"

namespace benanza::record {
namespace {

/// Parses local time, "2026-11-21T16:09:04.382859 ..." or with a space instead of the T, into
/// seconds since 1970 as if it were UTC. Empty for any other text, and for whole seconds, which
/// would suggest an order of calls that is not known.
std::optional<double> wall_time(std::string_view text) {
  std::tm parts{};
  const std::string date(text.substr(0, 19));
  if (date.size() < 19 || !text.substr(19).starts_with('.')) return std::nullopt;
  if (std::sscanf(date.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const auto seconds = static_cast<double>(::timegm(&parts));
  const std::string_view rest = text.substr(19);
  const std::string fraction = "0" + std::string(rest.substr(0, rest.find_first_of(" \r")));
  return seconds + std::strtod(fraction.c_str(), nullptr);
}

/// Adds a line. Of addresses, "0x" is left.
void add_line(std::string_view line, std::string& words) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    words += line[at];
    const bool is_marked = (line[at] == 'x' || line[at] == 'X') && at > 0 && line[at - 1] == '0' &&
                           (at == 1 || !std::isalnum(static_cast<unsigned char>(line[at - 2])));
    if (!is_marked) continue;
    // cuBLAS writes "0x0x2002b960".
    constexpr std::string_view digits = "0123456789abcdefABCDEFxX";
    at = std::min(line.find_first_not_of(digits, at + 1), line.size()) - 1;
  }
  words += '\n';
}

/// An entry of a call's own part, or of its end.
bool is_inside_a_call(const LogEntry& entry) {
  return entry.text.source == "cudnn" && entry.words.find(" status: ") != std::string::npos &&
         entry.words.find(" executionPlan: ") == std::string::npos;
}

}  // namespace

bool prepares(std::string_view function) {
  if (function == "cudnnSetTensor") return false;
  const auto words = {"Get",  "Find",  "Create", "Destroy",         "Descriptor", "Size",
                      "Make", "Build", "Query",  "Reserve",         "Finalize",   "Version",
                      "Init", "Set",   "Logger", "ExecuteInternal", "Visualize"};
  return std::ranges::any_of(
      words, [&](std::string_view word) { return function.find(word) != function.npos; });
}

void NvidiaLogReader::begin(std::string_view line) {
  entry_ = {};
  const std::string function = function_of(line);
  const std::string name = text::lower_case(function);
  const std::string source = name.starts_with("cudnn")    ? "cudnn"
                             : name.starts_with("cublas") ? "cublas"
                                                          : "";
  if (source.empty() || prepares(function)) return;
  entry_.kind = LogEntry::Kind::call;
  entry_.text = {.source = source, .engine = "gpu", .kind = function};
  add_line(line, entry_.words);
}

void NvidiaLogReader::end(std::string_view process, const Use& use) {
  entry_.process = text::integer(text::between(process, "Process=", ";"));
  // cuBLAS' number is another one.
  if (entry_.text.source == "cudnn") {
    entry_.thread = text::integer(text::between(process, "Thread=", ";"));
  }
  // Changes what cuBLAS may compute with; kept like a field of the call.
  const std::string_view mode = text::between(process, "MathMode=", "; ");
  if (!mode.empty() && mode != "CUBLAS_DEFAULT_MATH") {
    add_line("i!  MathMode: type=cublasMath_t; val=" + std::string(mode), entry_.words);
  }
  if (!is_inside_a_call(entry_)) use(std::move(entry_));
  entry_ = {};
}

void NvidiaLogReader::take(std::string_view line, const Use& use) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with("I!")) {
    begin(line);
  } else if (line.starts_with("i!")) {
    if (entry_.kind != LogEntry::Kind::call) return;
    const std::string_view rest = text::trimmed(line.substr(2));
    if (rest.starts_with("Time: ")) {
      entry_.started = wall_time(rest.substr(6));
      entry_.is_local = true;
    } else if (rest.starts_with("Process=")) {  // the last line of an entry
      end(rest, use);
    } else {
      add_line(line, entry_.words);
    }
  } else if (const auto trace = line.find("[Trace]["); trace != line.npos) {
    const std::string function(text::between(line, "[Trace][", "]"));
    if (!function.starts_with("cublasLt") || prepares(function)) return;
    LogEntry entry{.kind = LogEntry::Kind::call,
                   .text = {.source = "cublaslt", .engine = "gpu", .kind = function},
                   .thread = text::integer(text::between(line, "[cublasLt][", "]"))};
    add_line(line.substr(trace), entry.words);
    use(std::move(entry));
  }
}

std::size_t NvidiaLogReader::feed(std::string_view bytes, const Use& use) {
  std::size_t done = 0;
  while (true) {
    const std::size_t end = bytes.find('\n', done);
    if (end == std::string_view::npos) return done;
    take(bytes.substr(done, end - done), use);
    done = end + 1;
  }
}

void NvidiaLogReader::finish(std::string_view rest, const Use& use) {
  // Not for cuBLASLt, where a truncated line looks like a complete one.
  if (rest.starts_with("i!")) take(rest, use);
}

void log_to(Environment& environment, const std::filesystem::path& file, const char* variable,
            std::initializer_list<std::pair<const char*, const char*>> switches,
            SwitchedOn& result) {
  if (environment.find(variable)) {
    result.remarks.push_back(std::string(variable) +
                             " is set: that library's calls are logged there, not recorded");
    return;
  }
  environment.set(variable, file.string());
  for (const auto& [name, value] : switches) environment.set(name, value);
}

std::vector<LibraryCall> api_calls(std::string_view text) {
  const std::vector<Log> logs = library_logs();
  std::vector<LibraryCall> calls;
  const auto keep = [&](const LogEntry& entry) {
    auto call = call_of(logs, entry.text.source, entry.words);
    if (call && !call->problem.empty()) calls.push_back(std::move(*call));
  };
  NvidiaLogReader reader;
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

}  // namespace benanza::record
