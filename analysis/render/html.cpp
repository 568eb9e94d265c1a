#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/render/page.h"
#include "analysis/render/svg.h"

namespace benanza::analysis {
namespace {

constexpr std::string_view style = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em;
  color: #1d1d1f; background: #fff; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2.2em; border-bottom: 1px solid #ccc; }
figure { margin: 1.2em 0; } figcaption { font-weight: 600; margin-bottom: .3em; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
.caption { margin: -.8em 0 1.2em; font-size: .85em; color: #555; }
.legend { margin: 0 0 .3em; font-size: .9em; }
.legend span { display: inline-block; width: .9em; height: .9em; margin: 0 .35em 0 .8em;
  vertical-align: -.1em; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86em; margin: .5em 0; }
th, td { padding: .15em .7em; text-align: left; border-bottom: 1px solid #e5e5e5;
  white-space: nowrap; }
td.s { white-space: normal; min-width: 26em; }
th { background: #f4f4f6; position: sticky; top: 0; } .n { text-align: right;
  font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15em 1.2em; margin: .8em 0; }
dt { color: #555; } dd { margin: 0; }
ol li { margin: .6em 0; } pre { margin: .3em 0; padding: .3em .6em; background: #f4f4f6;
  white-space: pre-wrap; }
summary { cursor: pointer; color: #2b6ca3; } nav a { margin-right: 1em; }
)";

/// Returns the class of a cell; cells with sentences are wrapped.
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
  std::vector<std::size_t> order(sheet.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sheet.largest_by) {
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t row) {
      const auto& value = sheet.rows[row][*sheet.largest_by].value;
      return value.is_number() ? value.get<double>() : 0.0;
    });
  }
  for (const std::size_t index : order) {
    const auto& row = sheet.rows[index];
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text +=
          fmt::format("<td{}>{}</td>", cell_class(sheet.columns[i], row[i]), escaped(row[i].shown));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
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
    constexpr std::size_t open_rows = 20;
    const std::string caption =
        sheet.caption.empty() ? (sheet.name.empty() ? "table" : sheet.name) : sheet.caption;
    text_ += fmt::format("<details{}><summary>{} ({} row{})</summary>\n{}</details>\n",
                         sheet.rows.size() <= open_rows ? " open" : "", escaped(caption),
                         sheet.rows.size(), sheet.rows.size() == 1 ? "" : "s", table(sheet));
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

}  // namespace

std::string page_html(const Page& page, const std::string& title) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n",
      escaped(title), style);
  for (const auto& [backend, system] : page.systems) {
    text += "<p><b>" + escaped(backend) + "</b>";
    for (const auto& [field, value] : system) {
      text += fmt::format("; {} {}", escaped(field), escaped(value));
    }
    text += "</p>\n";
  }
  if (!page.note.empty()) text += "<p>" + escaped(page.note) + "</p>\n";
  text += "<nav>";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    text += fmt::format("<a href=\"#c{}\">{}</a> ", i, escaped(page.sections[i].heading));
  }
  text += "</nav>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    text += fmt::format("<h2 id=\"c{}\">{}</h2>\n", i, escaped(page.sections[i].heading));
    text += SectionHtml(page.sections[i]).text();
  }
  return text + "</body></html>\n";
}

}  // namespace benanza::analysis
