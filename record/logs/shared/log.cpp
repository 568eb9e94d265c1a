#include "record/logs/shared/log.h"

#include <unistd.h>

#include <algorithm>

#include "core/library/algorithm.h"
#include "core/problem/name.h"
#include "record/logs/shared/entry.h"

namespace benanza::record {
namespace {

std::vector<std::string> variants_of_key(const CallText& text, const CallMemory& memory) {
  const std::string algorithm = suite_algorithm(text.implementation);
  if (text.source != "cudnn" || algorithm.empty() || !memory.data || !memory.layout) return {};
  VariantName name{.key = text.problem,
                   .precision = *memory.data,
                   .layout = *memory.layout,
                   .backend = text.source,
                   .algorithm = algorithm};
  std::vector<std::string> names{to_string(name)};
  if (memory.data == Precision::fp32) {
    name.precision = Precision::tf32;
    names.push_back(to_string(name));
  }
  return names;
}

const Log* log_of(const std::vector<Log>& logs, std::string_view source) {
  for (const Log& log : logs) {
    if (std::ranges::find(log.sources, source) != log.sources.end()) return &log;
  }
  return nullptr;
}

}  // namespace

CallProblems problems_of_key(const CallText& text) {
  CallProblems result;
  const CallMemory memory = read_call_memory(text.memory);
  result.precision = memory.data;
  if (text.problem.empty()) {
    result.reason = text.kind + (text.auxiliary.empty() ? "" : " ") + text.auxiliary +
                    ": no problem is known for it";
    return result;
  }
  try {
    result.problems.push_back(parse(text.problem));
    result.taken_as_dense = text.attributes.find(gaps_remark) != std::string::npos;
    result.taken_as_operands = text.attributes.find(result_remark) != std::string::npos;
    result.variants = variants_of_key(text, memory);
  } catch (const std::exception& reason) {
    result.reason = text.kind + ' ' + text.problem + ": " + reason.what();
  }
  return result;
}

Environment Environment::inherited() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.set(text.substr(0, equals), std::string(text.substr(equals + 1)));
  }
  return environment;
}

std::optional<std::string> Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void Environment::set(std::string_view name, std::string value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

std::vector<std::string> Environment::list() const {
  std::vector<std::string> list;
  for (const auto& [name, value] : values_) list.push_back(name + '=' + value);
  return list;
}

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
