#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza::analysis {

/// Rows of text in columns two spaces apart, as wide as their widest cell.
class TextTable {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  // numbers
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line begins with two spaces and ends without spaces.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Of a column of layers' names.
inline constexpr std::size_t name_width = 44;

/// `text` in at most `width` characters, "..." for what is left out of its middle.
std::string shortened(std::string_view text, std::size_t width);

/// At most `most` of `names`, separated by commas: "a, b and 3 more".
std::string enumerated(const std::vector<std::string>& names, std::size_t most);

}  // namespace benanza::analysis
