#include "analysis/render/page_html.h"

#include <fmt/format.h>

#include "analysis/render/svg.h"

namespace benanza::analysis {
namespace {

using svg::escaped;

constexpr std::string_view style = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em;
  color: #1d1d1f; background: #fff; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2.2em; border-bottom: 1px solid #ccc; }
figure { margin: 1.2em 0; } figcaption { font-weight: 600; margin-bottom: .3em; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
.legend { margin: 0 0 .3em; font-size: .9em; }
.legend span { display: inline-block; width: .9em; height: .9em; margin: 0 .35em 0 .8em;
  vertical-align: -.1em; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86em; margin: .5em 0; }
th, td { padding: .15em .7em; text-align: left; border-bottom: 1px solid #e5e5e5;
  white-space: nowrap; }
td.s { white-space: normal; min-width: 26em; }
th { background: #f4f4f6; position: sticky; top: 0; } .n { text-align: right;
  font-variant-numeric: tabular-nums; }
summary { cursor: pointer; color: #2b6ca3; } nav a { margin-right: 1em; }
)";

/// Sentences are wrapped.
std::string_view cell_class(const Sheet::Column& column, const Cell& cell) {
  constexpr std::size_t sentence = 60;
  if (column.number) return " class=\"n\"";
  return cell.shown.size() > sentence ? " class=\"s\"" : "";
}

std::string table(const Sheet& sheet) {
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (const Sheet::Column& column : sheet.columns) {
    text +=
        fmt::format("<th{}>{}</th>", column.number ? " class=\"n\"" : "", escaped(column.title));
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& row : sheet.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text +=
          fmt::format("<td{}>{}</td>", cell_class(sheet.columns[i], row[i]), escaped(row[i].shown));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string foldable(const Sheet& sheet) {
  constexpr std::size_t open_rows = 20;
  const std::string caption = sheet.caption.empty() ? sheet.name : sheet.caption;
  return fmt::format("<details{}><summary>{} ({} row{})</summary>\n{}</details>\n",
                     sheet.rows.size() <= open_rows ? " open" : "", escaped(caption),
                     sheet.rows.size(), sheet.rows.size() == 1 ? "" : "s", table(sheet));
}

}  // namespace

std::string html_page(const std::string& title, const std::map<std::string, System>& systems,
                      const std::vector<Chapter>& chapters) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n",
      escaped(title), style);
  for (const auto& [backend, system] : systems) {
    text += "<p><b>" + escaped(backend) + "</b>";
    for (const auto& [field, value] : system) {
      text += fmt::format("; {} {}", escaped(field), escaped(value));
    }
    text += "</p>\n";
  }
  text += "<nav>";
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    text += fmt::format("<a href=\"#c{}\">{}</a> ", i, escaped(chapters[i].title));
  }
  text += "</nav>\n";
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    const Chapter& chapter = chapters[i];
    text += fmt::format("<h2 id=\"c{}\">{}</h2>\n", i, escaped(chapter.title));
    for (const std::string& line : chapter.section.lines) text += "<p>" + escaped(line) + "</p>\n";
    for (const std::string& plot : chapter.plots) text += plot;
    for (const Sheet& sheet : chapter.section.sheets) text += foldable(sheet);
  }
  return text + "</body></html>\n";
}

}  // namespace benanza::analysis
