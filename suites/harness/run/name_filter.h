#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

namespace benanza::harness {

/// The filter of --benchmark_filter, in Google Benchmark's words: an extended regular expression
/// found anywhere in the name; a leading '-' asks for every name without it; empty and "all" ask
/// for every name.
class NameFilter {
 public:
  /// Throws Error if `pattern` is not a regular expression.
  explicit NameFilter(std::string_view pattern);

  bool matches(const std::string& name) const;
  /// False only if no name that begins with `prefix` can match: lets a caller skip the costly last
  /// part of a name. Sees patterns that begin with '^' and plain text.
  bool may_match(std::string_view prefix) const;

 private:
  bool negative_ = false;
  /// Every matching name begins with it.
  std::string literal_prefix_;
  struct Free {
    void operator()(regex_t* expression) const noexcept;
  };
  /// Null where every name matches.
  std::unique_ptr<regex_t, Free> expression_;
};

}  // namespace benanza::harness
