#include "suites/harness/choose/name_filter.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::harness {
namespace {

/// The text after '^' up to the first metacharacter.
std::string literal_prefix(std::string_view pattern) {
  if (!pattern.starts_with('^') || pattern.find('|') != std::string_view::npos) return {};
  pattern.remove_prefix(1);
  const std::size_t end = std::min(pattern.find_first_of(".[]()*+?{}\\^$"), pattern.size());
  std::string_view literal = pattern.substr(0, end);
  // The next character may make the last character optional.
  if (end < pattern.size() &&
      std::string_view("*?{").find(pattern[end]) != std::string_view::npos && !literal.empty()) {
    literal.remove_suffix(1);
  }
  return std::string(literal);
}

}  // namespace

NameFilter::NameFilter(std::string_view pattern) {
  const std::string_view whole = pattern;
  if (pattern.starts_with('-')) {
    negative_ = true;
    pattern.remove_prefix(1);
  }
  if (pattern.empty() || pattern == "all") return;
  if (!negative_) literal_prefix_ = literal_prefix(pattern);
  auto compiled = std::make_unique<regex_t>();
  const int code =
      ::regcomp(compiled.get(), std::string(pattern).c_str(), REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    char reason[128];
    ::regerror(code, compiled.get(), reason, sizeof(reason));
    throw Error("--benchmark_filter=" + std::string(whole) +
                ": not a regular expression: " + reason);
  }
  expression_.reset(compiled.release());
}

void NameFilter::Free::operator()(regex_t* expression) const noexcept {
  ::regfree(expression);
  delete expression;
}

bool NameFilter::matches(const std::string& name) const {
  const bool found = !expression_ || ::regexec(expression_.get(), name.c_str(), 0, nullptr, 0) == 0;
  return found != negative_;
}

bool NameFilter::may_match(std::string_view prefix) const {
  const std::size_t length = std::min(prefix.size(), literal_prefix_.size());
  return prefix.substr(0, length) == std::string_view(literal_prefix_).substr(0, length);
}

}  // namespace benanza::harness
