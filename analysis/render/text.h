#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza::analysis {

/// "1.234 ms"
std::string milliseconds(double seconds);
/// Of typical() times of whole runs: " (the least of 5 times: ...)" if they were interrupted;
/// otherwise empty.
std::string interruption_text(std::span<const double> seconds);
/// "1234.5": for columns that name the unit.
std::string microseconds(double seconds);
/// "1.234 ms  (95%: 1.200 to 1.300)", the interval in milliseconds. `kind` says what it is.
std::string with_spread(double seconds, const std::optional<Interval>& spread,
                        std::string_view kind = "95%");

/// Shortens `text` to at most `width` characters, with "..." in place of its middle.
std::string shortened(std::string_view text, std::size_t width);

/// The words of `text` in lines of at most `width` characters, longer words apart; each line begins
/// with `indent`, which counts, and ends with a line break.
std::string wrapped(std::string_view text, std::size_t width, const std::string& indent);

/// At most `most` of `names`, separated by commas: "a, b and 3 more".
std::string enumerated(const std::vector<std::string>& names, std::size_t most);

/// `text` as a field of a CSV file, quoted if it contains a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// A number as text; empty if unknown.
template <class T>
std::string number_text(const std::optional<T>& value, std::string_view format = "{}") {
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

/// Rows of text in columns two spaces apart, as wide as their widest cell.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  // numbers
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row, which must have as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line starts with two spaces and ends without spaces.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace benanza::analysis
