#include "analysis/render/text_table.h"

#include <algorithm>

namespace benanza::analysis {

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = columns_[column].title.size();
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string_view value = cell(column);
      const std::string padding(widths[column] - value.size(), ' ');
      text += "  ";
      if (columns_[column].right) text += padding;
      text += value;
      if (!columns_[column].right) text += padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](std::size_t column) { return columns_[column].title; });
  for (const auto& row : rows_) {
    line([&](std::size_t column) { return std::string_view(row[column]); });
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  const std::size_t kept = width - 3;
  const std::size_t tail = kept - kept / 3;  // names differ at their ends
  return std::string(text.substr(0, kept / 3)) + "..." +
         std::string(text.substr(text.size() - tail));
}

std::string enumerated(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    if (i > 0) out += ", ";
    out += names[i];
  }
  if (names.size() > most) out += " and " + std::to_string(names.size() - most) + " more";
  return out;
}

}  // namespace benanza::analysis
