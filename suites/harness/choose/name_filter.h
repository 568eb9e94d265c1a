#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

namespace benanza::harness {

/// The filter of --benchmark_filter, with Google Benchmark's semantics: an extended regular
/// expression searched for anywhere in the name; a leading '-' negates it; empty and "all" match
/// every name.
class NameFilter {
 public:
  /// Throws Error if `pattern` is not a regular expression.
  explicit NameFilter(std::string_view pattern);

  bool matches(const std::string& name) const;
  /// Returns false only if no name that starts with `prefix` can match, so that callers can skip
  /// the expensive last part of a name. Uses only the literal prefix of patterns that start with
  /// '^'.
  bool may_match(std::string_view prefix) const;

 private:
  bool negative_ = false;
  /// Prefix of every matching name.
  std::string literal_prefix_;
  struct Free {
    void operator()(regex_t* expression) const noexcept;
  };
  /// Null if every name matches.
  std::unique_ptr<regex_t, Free> expression_;
};

}  // namespace benanza::harness
