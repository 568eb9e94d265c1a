#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/render/page.h"
#include "analysis/render/page_files.h"
#include "analysis/render/svg.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Returns the class of a cell; cells with sentences are wrapped.
std::string_view cell_class(const Sheet::Column& column, const Cell& cell) {
  constexpr std::size_t sentence = 60;
  if (column.number) return " class=\"n\"";
  return cell.shown.size() > sentence ? " class=\"s\"" : "";
}

/// What a line of the table opens: the names of its rows if there are several, and Sheet::opens.
std::string opened_by(const Sheet& sheet, const std::vector<std::size_t>& members) {
  if (!sheet.opens) return "";
  std::string text = sheet.opens(members.front());
  if (members.size() == 1) return text;
  std::vector<std::string> names;
  for (const std::size_t row : members) names.push_back(sheet.rows[row].front().shown);
  return enumerated(names, names.size()) + '\n' + text;
}

std::string row_html(const Lines& lines, const std::vector<Cell>& row, const std::string& opened) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::string shown = escaped(row[i].shown);
    if (i == 0 && !opened.empty()) shown = "<details><summary>" + shown + "</summary></details>";
    text += fmt::format("<td{}>{}</td>", cell_class(lines.columns[i], row[i]), shown);
  }
  text += "</tr>\n";
  if (opened.empty()) return text;
  return text + fmt::format("<tr class=\"o\"><td colspan=\"{}\"><pre>{}</pre></td></tr>\n",
                            row.size(), escaped(opened));
}

std::string table(const Sheet& sheet, const Lines& lines) {
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (const Sheet::Column& column : lines.columns) {
    text +=
        fmt::format("<th{}>{}</th>", column.number ? " class=\"n\"" : "", escaped(column.title));
  }
  text += "</tr></thead><tbody>\n";
  for (std::size_t line = 0; line < lines.rows.size(); ++line) {
    text += row_html(lines, lines.rows[line], opened_by(sheet, lines.members[line]));
  }
  return text + "</tbody></table></div>\n";
}

/// "layers (54 rows)"; of lines that stand for more rows "layers (54 rows, equal ones once)".
std::string caption_of(const Sheet& sheet, const Lines& lines) {
  const std::string caption =
      sheet.caption.empty() ? (sheet.name.empty() ? "table" : sheet.name) : sheet.caption;
  return fmt::format("{} ({} row{}{})", caption, sheet.rows.size(),
                     sheet.rows.size() == 1 ? "" : "s",
                     lines.rows.size() < sheet.rows.size() ? ", equal ones once" : "");
}

class SectionHtml {
 public:
  explicit SectionHtml(const Section& section) : plot_caption_(section.plot_caption) {
    for (const Block& block : section.blocks) {
      if (!std::holds_alternative<Entry>(block)) end_entries();
      std::visit(*this, block);
    }
    end_entries();
  }
  std::string text() && { return std::move(text_); }

  void operator()(const std::string& sentence) { text_ += "<p>" + escaped(sentence) + "</p>\n"; }

  void operator()(const Entry& entry) {
    if (!in_entries_) text_ += "<dl>\n";
    in_entries_ = true;
    text_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(entry.name), escaped(entry.value));
  }

  void operator()(const Names& names) {
    std::string list;
    for (const std::string& name : names.names) list += (list.empty() ? "" : ", ") + escaped(name);
    text_ += fmt::format("<details><summary>{} ({})</summary>\n<p>{}</p></details>\n",
                         escaped(names.title), names.names.size(), list);
  }

  void operator()(const Points& points) {
    text_ += "<p><b>" + escaped(points.title) + "</b></p>\n";
    if (!points.points.empty()) text_ += "<ol>\n";
    for (const Points::Point& point : points.points) {
      text_ += "<li><b>" + escaped(point.head) + "</b>";
      for (const std::string& line : point.lines) text_ += "<br>" + escaped(line);
      if (!point.code.empty()) text_ += "<pre>" + escaped(point.code) + "</pre>";
      text_ += "</li>\n";
    }
    if (!points.points.empty()) text_ += "</ol>\n";
    if (!points.note.empty()) (*this)(points.note);
  }

  void operator()(const Sheet& sheet) {
    constexpr std::size_t open_rows = 40;
    // As in text.
    if (sheet.rows.empty()) return;
    const Lines lines = all_lines_of(sheet);
    text_ += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                         lines.rows.size() <= open_rows ? " open" : "",
                         escaped(caption_of(sheet, lines)), table(sheet, lines));
    if (!sheet.note.empty()) (*this)(sheet.note);
  }

  template <class Plot>
  void operator()(const Plot& plot) {
    const std::string figure = svg(plot);
    text_ += figure;
    if (figure.empty() || plot_caption_.empty()) return;
    text_ += "<p class=\"caption\">" + escaped(plot_caption_) + "</p>\n";
  }

 private:
  void end_entries() {
    if (in_entries_) text_ += "</dl>\n";
    in_entries_ = false;
  }

  const std::string& plot_caption_;
  std::string text_;
  bool in_entries_ = false;
};

/// Consecutive sections with the same title, or one without.
struct SectionGroup {
  std::string title{};
  /// Indices of sections.
  std::vector<std::size_t> sections{};
};

std::vector<SectionGroup> groups_of(const Page& page) {
  std::vector<SectionGroup> groups;
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const std::string& title = page.sections[i].group;
    if (title.empty() || groups.empty() || groups.back().title != title) {
      groups.push_back({.title = title});
    }
    groups.back().sections.push_back(i);
  }
  return groups;
}

std::string link_to(std::string_view letter, std::size_t index, const std::string& title) {
  return fmt::format("<a href=\"#{}{}\">{}</a> ", letter, index, escaped(title));
}

std::string links_to(const Page& page, const std::vector<std::size_t>& sections) {
  std::string text;
  for (const std::size_t i : sections) text += link_to("c", i, page.sections[i].heading);
  return text;
}

std::string section_html(const Page& page, std::size_t index, int level) {
  return fmt::format("<h{0} id=\"c{1}\">{2}</h{0}>\n", level, index,
                     escaped(page.sections[index].heading)) +
         SectionHtml(page.sections[index]).text();
}

/// The links and the sections of the page. Of several groups, each is closed.
std::string body_html(const Page& page) {
  const std::vector<SectionGroup> groups = groups_of(page);
  const auto titled =
      std::ranges::count_if(groups, [](const SectionGroup& group) { return !group.title.empty(); });
  std::string links;
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& [title, sections] = groups[i];
    const bool is_alone = titled <= 1;
    links += title.empty() || is_alone ? links_to(page, sections) : link_to("g", i, title);
    if (!title.empty()) {
      text += fmt::format("<details class=\"g\"{}><summary><h2 id=\"g{}\">{}</h2></summary>\n",
                          is_alone ? " open" : "", i, escaped(title));
      if (!is_alone && sections.size() > 1) text += "<nav>" + links_to(page, sections) + "</nav>\n";
    }
    for (const std::size_t section : sections) {
      text += section_html(page, section, title.empty() ? 2 : 3);
    }
    if (!title.empty()) text += "</details>\n";
  }
  return "<nav>" + links + "</nav>\n" + text;
}

}  // namespace

std::string page_html(const Page& page, const std::string& title) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style></head>\n<body>\n<h1>{0}</h1>\n",
      escaped(title), page_style());
  for (const auto& [backend, system] : page.systems) {
    text += "<p><b>" + escaped(backend) + "</b>";
    for (const auto& [field, value] : system) {
      text += fmt::format("; {} {}", escaped(field), escaped(value));
    }
    text += "</p>\n";
  }
  if (!page.note.empty()) text += "<p>" + escaped(page.note) + "</p>\n";
  text += body_html(page);
  return text + fmt::format("<script>\n{}</script>\n</body></html>\n", page_script());
}

}  // namespace benanza::analysis
