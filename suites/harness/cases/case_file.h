#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"
#include "core/problem/problem.h"

namespace benanza::harness {

/// What happens to the calls of a case.
enum class Expectation {
  /// Some call is right, none is incorrect or failed.
  ok,
  /// None is incorrect or failed.
  ok_if_supported,
  /// There are calls or refusals, and all are refused, each with the reason.
  unsupported,
  /// Some call is incorrect, or failed, with the reason.
  incorrect,
  failed,
  /// The library has nothing for the problem, not even a refusal: its rows are left to others.
  no_way,
  /// The library has these algorithms and no others, in this order, whatever becomes of them.
  offers,
};
std::string_view to_string(Expectation expected);

/// A problem and what is expected of a library. A line of a file that names several precisions or
/// layouts is a case for each.
struct Case {
  std::filesystem::path file;
  std::size_t line = 0;
  Problem problem;
  /// Empty: every precision that the suite measures is a case of its own.
  std::optional<Precision> precision;
  /// Empty: any layout, or with `every_layout` each layout of the problem is a case of its own.
  std::optional<Layout> layout;
  bool every_layout = false;
  /// As Selection::algorithm; empty: any.
  std::string algorithm;
  Expectation expected = Expectation::ok;
  /// Part of every reason; empty: any. Of `offers`: the algorithms, with a space between them.
  std::string reason;
};

/// "FILE:LINE".
std::string place_of(const Case& one);
/// As a line of a file: "relu/8 fp32 nhwc jit* -> unsupported has no".
std::string text_of(const Case& one);

/// Parses a file of cases (docs/measure.md):
///   # comment, also at the end of a line
///   default [PRECISION[,...]] [LAYOUT[,...]] [ALGORITHM] [-> EXPECTED]
///   KEY     [PRECISION[,...]] [LAYOUT[,...]] [ALGORITHM] [-> EXPECTED]
/// EXPECTED is ok (if nothing is said), "ok if supported", "no way", offers and the names of
/// algorithms, or unsupported, incorrect or failed, each perhaps followed by a part of the reason.
/// A line takes from the defaults above it what it leaves out; of several defaults in succession,
/// it is a case of each, except those of other precisions than its own. Throws Error, one line with
/// file and line number.
std::vector<Case> parse_cases(std::string_view text, const std::filesystem::path& file);
/// Also throws Error if the file cannot be read.
std::vector<Case> read_cases(const std::filesystem::path& file);

}  // namespace benanza::harness
