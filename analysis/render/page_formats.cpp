// Pages as JSON, CSV and Markdown.

#include <fmt/format.h>

#include "analysis/render/page.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

std::string field(const ordered_json& value) {
  if (value.is_null()) return "";
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

ordered_json section_json(const Section& section) {
  ordered_json report = section.facts;
  if (section.more_facts) section.more_facts(report);
  for (const Block& block : section.blocks) {
    const auto* sheet = std::get_if<Sheet>(&block);
    if (sheet == nullptr || sheet->name.empty()) continue;
    report[sheet->name] = rows_json(*sheet);
  }
  return report;
}

/// Returns the table that becomes CSV; null if the section has none.
const Sheet* csv_sheet(const Section& section) {
  if (!section.csv.columns.empty()) return &section.csv;
  for (const Block& block : section.blocks) {
    const auto* sheet = std::get_if<Sheet>(&block);
    if (sheet != nullptr && !sheet->name.empty()) return sheet;
  }
  return nullptr;
}

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

ordered_json rows_json(const Sheet& sheet) {
  ordered_json rows = ordered_json::array();
  for (const auto& row : sheet.rows) {
    ordered_json object = ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!sheet.columns[i].name.empty()) object[sheet.columns[i].name] = row[i].value;
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string page_json(const Page& page) {
  ordered_json root = {{"schema", 1}, {"command", page.command}, {"systems", page.systems}};
  if (!page.note.empty()) root["note"] = page.note;
  if (page.flat) {
    root.update(section_json(page.sections.front()));
  } else {
    ordered_json& reports = root["reports"] = ordered_json::array();
    for (const Section& section : page.sections) reports.push_back(section_json(section));
  }
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string page_csv(const Page& page) {
  std::string header;
  std::string text;
  for (const Section& section : page.sections) {
    const Sheet* sheet = csv_sheet(section);
    if (sheet == nullptr) continue;
    std::string names;
    const auto add_name = [&](const std::string& name) {
      names += (names.empty() ? "" : ",") + name;
    };
    for (const std::string& name : section.csv_facts) add_name(name);
    for (const Sheet::Column& column : sheet->columns) {
      if (!column.name.empty()) add_name(column.name);
    }
    if (header.empty()) header = names;
    if (names != header) continue;
    std::string common;
    for (const std::string& name : section.csv_facts) {
      common += field(section.facts.value(name, ordered_json())) + ',';
    }
    for (const auto& row : sheet->rows) {
      std::string line = common;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!sheet->columns[i].name.empty()) line += field(row[i].value) + ',';
      }
      line.back() = '\n';
      text += line;
    }
  }
  return header + '\n' + text;
}

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
