// Pages as Markdown.

#include <fmt/format.h>

#include "analysis/render/page.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// A cell of a table: neither bars nor line breaks may end it.
std::string escaped_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class SectionMarkdown {
 public:
  SectionMarkdown(const Section& section, std::size_t most) : most_(most) {
    for (const Block& block : section.blocks) std::visit(*this, block);
  }
  std::string text() && { return std::move(text_); }

  void operator()(const std::string& sentence) { begin() += sentence + '\n'; }

  void operator()(const Entry& entry) {
    if (!in_entries_) text_ += '\n';
    in_entries_ = true;
    text_ += (entry.name.empty()
                  ? "  - "
                  : "- **" + entry.name.substr(entry.name.find_first_not_of(' ')) + "**: ") +
             entry.value + '\n';
  }

  void operator()(const Names& names) {
    begin() += names.title + ": " + enumerated(names.names, names.most.value_or(most_)) + '\n';
  }

  void operator()(const Points& points) {
    begin() += "**" + points.title + "**\n";
    std::size_t number = 0;
    for (const Points::Point& point : points.points) {
      begin() += fmt::format("{}. **{}**", ++number, point.head);
      for (const std::string& line : point.lines) text_ += "\\\n   " + line;
      text_ += '\n';
      if (!point.code.empty()) begin() += "   ```\n   " + point.code + "\n   ```\n";
    }
    if (!points.note.empty()) begin() += points.note + '\n';
  }

  void operator()(const Sheet& sheet) {
    const Lines lines = lines_of(sheet, most_);
    if (lines.rows.empty()) return;
    if (!sheet.caption.empty()) begin() += "**" + sheet.caption + "**\n";
    begin() += '|';
    for (const Sheet::Column& column : lines.columns) text_ += escaped_cell(column.title) + '|';
    text_ += "\n|";
    for (const Sheet::Column& column : lines.columns) text_ += column.number ? "--:|" : ":--|";
    for (const std::vector<Cell>& row : lines.rows) {
      text_ += "\n|";
      for (const Cell& one : row) text_ += escaped_cell(one.shown) + '|';
    }
    text_ += '\n';
    for (const std::string& line : {lines.remark, sheet.note}) {
      if (!line.empty()) begin() += line + '\n';
    }
  }

  template <class Plot>
  void operator()(const Plot&) {}

 private:
  /// A new paragraph.
  std::string& begin() {
    in_entries_ = false;
    return text_ += '\n';
  }

  std::size_t most_;
  std::string text_;
  bool in_entries_ = false;
};

}  // namespace

std::string page_markdown(const Page& page, std::size_t rows) {
  std::string text = fmt::format("# Benanza: {}\n", page.command);
  if (!page.note.empty()) text += '\n' + page.note + '\n';
  for (const Section& section : page.sections) {
    if (!section.heading.empty()) text += "\n## " + section.heading + '\n';
    text += SectionMarkdown(section, rows).text();
  }
  return text;
}

}  // namespace benanza::analysis
