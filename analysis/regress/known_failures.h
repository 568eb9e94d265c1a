#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"
#include "core/results_file/origin.h"

namespace benanza::regress {

/// A file of models/regressions/.
struct KnownList {
  std::string_view file;
  std::string_view text;
};
std::span<const KnownList> known_lists();

/// A library's version: "9.10.2". "9.10" stands for all of 9.10 where it ends a range.
class Version {
 public:
  /// Empty if `text` is not numbers between dots.
  static std::optional<Version> parse(std::string_view text);
  /// Missing parts count as 0.
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
  /// Not after the last version that `last` stands for.
  bool is_up_to(const Version& last) const;
  /// "9.10.2"
  std::string text() const;

 private:
  std::vector<int> parts_{};
};

enum class Symptom {
  wrong_result,
  slow,
  worse_choice,
  cold_start,
  reference_code,
  memory,
  crash,
};
/// "wrong result", ...
std::string_view to_string(Symptom symptom);

/// A row of models/regressions/*.tsv: a failure of a library that its users or makers reported.
struct KnownFailure {
  std::string library{};
  Precision precision = Precision::fp32;
  /// A problem's key, in its canonical form.
  std::string key{};
  /// The source names this problem. Otherwise it is one of the kind that the source describes: its
  /// sizes are ours, and may not show the failure.
  bool is_named = true;
  /// Affected as the source says; `from` empty: all earlier versions, `to` empty: all later ones.
  std::optional<Version> from{};
  std::optional<Version> to{};
  /// The first version without it; empty: unknown.
  std::optional<Version> fixed{};
  /// Only on systems where the member of this name has one of these values; empty: on all.
  std::string member{};
  std::vector<std::string> values{};
  Symptom symptom = Symptom::wrong_result;
  /// The address of the report, and what it says beyond the columns.
  std::string source{};
  std::string note{};
};

/// Parses a list. Throws Error, one line that names `file` and the line, for a row that does not
/// parse.
std::vector<KnownFailure> parse_known_failures(std::string_view text, const std::string& file);
/// The lists of models/regressions/, which are part of the program.
std::vector<KnownFailure> built_in_failures();

/// What the source says of a version on a system. A failure that a version has is unknown for
/// problems that the source does not name.
enum class Presence { yes, no, unknown };
Presence presence(const KnownFailure& failure, const Version& version, const System& system);

/// The problems as a file of cases for a suite's --cases, each once.
std::string cases_text(std::span<const KnownFailure> failures);

}  // namespace benanza::regress
