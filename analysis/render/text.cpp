// Pages as text for terminals.

#include "analysis/render/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/render/page.h"

namespace benanza::analysis {
namespace {

std::string system_lines(const std::map<std::string, System>& systems) {
  std::string text;
  for (const auto& [backend, system] : systems) {
    text += backend + ":";
    const char* separator = " ";
    for (const auto& [field, value] : system) {
      text += separator + field + ' ' + value;
      separator = ", ";
    }
    text += '\n';
  }
  return text;
}

/// Formats the blocks of one section, with up to `most` rows of each table.
class SectionText {
 public:
  SectionText(const Section& section, std::size_t most) : most_(most) {
    for (const Block& block : section.blocks) std::visit(*this, block);
    flush_entries();
  }
  std::string text() && { return std::move(text_); }

  void operator()(const std::string& sentence) {
    begin_lines();
    text_ += "  " + sentence + '\n';
  }

  void operator()(const Entry& entry) {
    if (entries_.empty()) begin_lines();
    entries_.push_back(&entry);
  }

  void operator()(const Names& names) {
    begin_lines();
    text_ +=
        fmt::format("  {}: {}\n", names.title, enumerated(names.names, names.most.value_or(most_)));
  }

  void operator()(const Points& points) {
    constexpr std::size_t width = 110;
    begin_lines();
    text_ += "  " + points.title + '\n';
    std::size_t number = 0;
    for (const Points::Point& point : points.points) {
      const std::string label = std::to_string(++number) + ". ";
      const std::string indent(2 + label.size(), ' ');
      text_ += "\n  " + label + wrapped(point.head, width, indent).substr(indent.size());
      for (const std::string& line : point.lines) text_ += wrapped(line, width, indent);
      if (!point.code.empty()) text_ += indent + "    " + point.code + '\n';
    }
    if (!points.note.empty()) text_ += '\n' + wrapped(points.note, width, "  ");
    after_table_ = true;
  }

  void operator()(const Sheet& sheet) {
    flush_entries();
    after_table_ = true;
    const Lines lines = lines_of(sheet, most_);
    if (lines.rows.empty()) return;
    std::vector<TextTable::Column> columns;
    for (const Sheet::Column& column : lines.columns) {
      columns.push_back({column.title, column.number});
    }
    TextTable table(std::move(columns));
    for (const std::vector<Cell>& row : lines.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(shortened(row[i].shown, lines.columns[i].width));
      }
      table.add(std::move(cells));
    }
    text_ += '\n' + (sheet.caption.empty() ? "" : "  " + sheet.caption + '\n') + table.text();
    if (!lines.remark.empty()) text_ += "  " + lines.remark + '\n';
    if (!sheet.note.empty()) text_ += "  " + sheet.note + '\n';
  }

  void operator()(const Bars& bars) {
    if (!bars.in_text) return;
    flush_entries();
    constexpr double letters = 40;
    double most = 0;
    std::size_t width = 0;
    const bool several = bars.series.size() > 1;
    const auto label = [&](std::size_t category, const Series& series) {
      return bars.categories[category] + (several ? ", " + series.name : "");
    };
    for (const Series& series : bars.series) {
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        most = std::max(most, series.values[i].value_or(0));
        if (series.values[i]) width = std::max(width, label(i, series).size());
      }
    }
    width = std::min(width, name_width);
    text_ += "\n  " + bars.title + '\n';
    for (std::size_t i = 0; i < bars.categories.size(); ++i) {
      for (const Series& series : bars.series) {
        if (!series.values[i]) continue;
        const double part = most > 0 ? std::max(0.0, *series.values[i]) / most : 0;
        text_ +=
            fmt::format("  {:<{}}  {} {:.{}f}{}{}\n", shortened(label(i, series), width), width,
                        std::string(static_cast<std::size_t>(std::lround(part * letters)), '#'),
                        *series.values[i], bars.decimals, bars.unit.empty() ? "" : " ", bars.unit);
      }
    }
    after_table_ = true;
  }
  void operator()(const Waterfall&) {}
  void operator()(const Roofline&) {}
  void operator()(const Curves&) {}
  void operator()(const Gantt&) {}

 private:
  void begin_lines() {
    flush_entries();
    if (after_table_) text_ += '\n';
    after_table_ = false;
  }

  void flush_entries() {
    std::size_t width = 0;
    for (const Entry* entry : entries_) width = std::max(width, entry->name.size());
    for (const Entry* entry : entries_) {
      text_ += fmt::format("  {:<{}}  {}\n", entry->name, width, entry->value);
    }
    entries_.clear();
  }

  std::size_t most_;
  std::string text_;
  std::vector<const Entry*> entries_;
  bool after_table_ = false;
};

}  // namespace

std::string interruption_text(std::span<const double> seconds) {
  if (!are_interrupted(seconds)) return "";
  return fmt::format(" (the least of {} times: other programs interrupted most)", seconds.size());
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

std::string microseconds(double seconds) { return fmt::format("{:.1f}", seconds * 1e6); }

std::string with_spread(double seconds, const std::optional<Interval>& spread,
                        std::string_view kind) {
  if (!spread) return milliseconds(seconds) + "  (spread unknown)";
  return fmt::format("{}  ({}: {:.3f} to {:.3f})", milliseconds(seconds), kind, spread->low * 1e3,
                     spread->high * 1e3);
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  const std::size_t kept = width - 3;
  const std::size_t tail = kept - kept / 3;  // names differ at their ends
  return std::string(text.substr(0, kept / 3)) + "..." +
         std::string(text.substr(text.size() - tail));
}

std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
  std::string out;
  std::string line = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const bool is_first = line.size() == indent.size();
    if (!is_first && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line = indent;
    } else if (!is_first) {
      line += ' ';
    }
    line += word;
    begin = end + 1;
  }
  return out + line + '\n';
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

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

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

std::string page_table(const Page& page, std::size_t rows) {
  std::string text = system_lines(page.systems);
  if (!page.note.empty()) text += page.note + '\n';
  for (const Section& section : page.sections) {
    if (!text.empty()) text += '\n';
    if (!section.heading.empty()) text += section.heading + '\n';
    text += SectionText(section, rows).text();
  }
  return text;
}

}  // namespace benanza::analysis
