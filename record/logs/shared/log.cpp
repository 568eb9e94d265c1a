#include "record/logs/shared/log.h"

#include <algorithm>

namespace benanza::record {
namespace {

const Log* log_of(const std::vector<Log>& logs, std::string_view source) {
  for (const Log& log : logs) {
    if (std::ranges::find(log.sources, source) != log.sources.end()) return &log;
  }
  return nullptr;
}

}  // namespace

std::optional<LibraryCall> call_of(const std::vector<Log>& logs, std::string_view source,
                                   std::string_view words) {
  const Log* const log = log_of(logs, source);
  if (log == nullptr || log->call_of == nullptr) return std::nullopt;
  return log->call_of(source, words);
}

CallProblems problems_of_call(const std::vector<Log>& logs, const CallText& text) {
  const Log* const log = log_of(logs, text.source);
  if (log != nullptr) return log->problems_of(text);
  return {.reason = text.kind + ": the log of \"" + text.source + "\" is not known"};
}

}  // namespace benanza::record
