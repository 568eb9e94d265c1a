#include "core/results_file/row_splitter.h"

#include <array>
#include <utility>

namespace benanza {
namespace {

/// A table lookup is faster than comparisons, and runs for every byte outside of strings.
constexpr auto structural = [] {
  std::array<bool, 256> table{};
  for (const unsigned char c : {'"', '{', '}', '[', ']'}) table[c] = true;
  return table;
}();

bool is_structural(char c) { return structural[static_cast<unsigned char>(c)]; }

}  // namespace

/// True if the skeleton ends with "benchmarks" and a colon.
bool RowSplitter::opens_rows() const {
  constexpr std::string_view blanks = " \n\r\t";
  std::string_view text = skeleton_;
  const auto trim = [&] { text = text.substr(0, text.find_last_not_of(blanks) + 1); };
  trim();
  if (text.empty() || text.back() != ':') return false;
  text.remove_suffix(1);
  trim();
  return text.ends_with("\"benchmarks\"");
}

std::size_t RowSplitter::behind_string(std::string_view part, std::size_t at) {
  for (; at < part.size(); ++at) {
    if (escaped_) {
      escaped_ = false;
      continue;
    }
    // find_first_of would take ten times as long.
    while (at < part.size() && part[at] != '"' && part[at] != '\\') ++at;
    if (at == part.size()) break;
    escaped_ = part[at] == '\\';
    if (escaped_) continue;
    in_string_ = false;
    return at + 1;
  }
  return part.size();
}

void RowSplitter::feed(std::string_view part) {
  // Start of the bytes of `part` that are not stored yet.
  std::size_t begin = 0;
  const auto flush = [&](std::size_t end) {
    (in_row_ ? rows_.text : skeleton_).append(part, begin, end - begin);
    begin = end;
  };
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (in_string_) at = behind_string(part, at);
    while (at < part.size() && !is_structural(part[at])) ++at;
    if (at == part.size()) break;
    switch (part[at]) {
      case '"':
        in_string_ = true;
        break;
      case '{':
        if (depth_ == 2 && in_list_) {
          flush(at);
          if (head_.empty()) head_ = skeleton_ + "]}";
          skeleton_ += '0';
          in_row_ = true;
        }
        ++depth_;
        break;
      case '[':
        if (depth_ == 1) {
          flush(at);
          in_list_ = opens_rows();
        }
        ++depth_;
        break;
      case '}':
      case ']':
        --depth_;
        if (depth_ == 2 && in_row_) {
          flush(at + 1);
          rows_.ends.push_back(rows_.text.size());
          in_row_ = false;
          ++count_;
        }
        if (depth_ == 1) in_list_ = false;
        break;
      default:
        break;
    }
  }
  flush(part.size());
}

RowSplitter::Rows RowSplitter::take() {
  Rows taken = std::move(rows_);
  const std::size_t complete = taken.ends.empty() ? 0 : taken.ends.back();
  rows_ = {};
  rows_.text.reserve(taken.text.size() + taken.text.size() / 8);
  rows_.text.append(taken.text, complete);
  taken.text.resize(complete);
  return taken;
}

}  // namespace benanza
