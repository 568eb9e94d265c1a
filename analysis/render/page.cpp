#include "analysis/render/page.h"

#include <fmt/format.h>

#include "analysis/render/text_table.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t widest_cell = 56;

template <class Format>
Cell number_cell(const std::optional<double>& value, Format&& format) {
  if (!value) return {.shown = "-", .value = nullptr};
  return {.shown = format(*value), .value = *value};
}

std::string csv_field(const ordered_json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string sheet_table(const Sheet& sheet, std::size_t rows) {
  std::vector<TextTable::Column> columns;
  for (const Sheet::Column& column : sheet.columns) {
    columns.push_back({column.title, column.number});
  }
  TextTable table(std::move(columns));
  const std::size_t shown = std::min(rows, sheet.rows.size());
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells;
    for (const Cell& cell : sheet.rows[row]) cells.push_back(shortened(cell.shown, widest_cell));
    table.add(std::move(cells));
  }
  std::string text = '\n' + (sheet.caption.empty() ? "" : "  " + sheet.caption + '\n');
  text += table.text();
  if (shown < sheet.rows.size()) {
    text += fmt::format("  the first {} of {}; --layers all shows all\n", shown, sheet.rows.size());
  }
  return text;
}

}  // namespace

Cell text_cell(std::string text) {
  ordered_json value = text;
  return {.shown = std::move(text), .value = std::move(value)};
}

Cell count_cell(std::size_t count) { return {.shown = std::to_string(count), .value = count}; }

Cell flag_cell(std::optional<bool> flag) {
  if (!flag) return {.shown = "?", .value = nullptr};
  return {.shown = *flag ? "yes" : "no", .value = *flag};
}

Cell us_cell(std::optional<double> seconds) {
  return number_cell(seconds, [](double value) { return fmt::format("{:.1f}", value * 1e6); });
}

Cell ms_cell(std::optional<double> seconds) {
  return number_cell(seconds, [](double value) { return fmt::format("{:.3f}", value * 1e3); });
}

Cell factor_cell(std::optional<double> factor) {
  return number_cell(factor, [](double value) { return fmt::format("{:.2f}x", value); });
}

Cell percent_cell(std::optional<double> part) {
  return number_cell(part, [](double value) { return fmt::format("{:.1f}%", value * 100); });
}

Cell megabytes_cell(std::optional<double> bytes) {
  return number_cell(bytes, [](double value) { return fmt::format("{:.3f}", value * 1e-6); });
}

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

std::string page_table(const Page& page, std::size_t rows) {
  std::string text = system_lines(page.systems);
  for (const Section& section : page.sections) {
    text += '\n' + section.heading + '\n';
    for (const std::string& line : section.lines) text += "  " + line + '\n';
    for (const Sheet& sheet : section.sheets) {
      if (!sheet.rows.empty()) text += sheet_table(sheet, rows);
    }
  }
  return text;
}

std::string page_json(const Page& page) {
  ordered_json reports = ordered_json::array();
  for (const Section& section : page.sections) {
    ordered_json report = section.facts;
    for (const Sheet& sheet : section.sheets) {
      ordered_json rows = ordered_json::array();
      for (const auto& row : sheet.rows) {
        ordered_json object = ordered_json::object();
        for (std::size_t i = 0; i < row.size(); ++i) object[sheet.columns[i].name] = row[i].value;
        rows.push_back(std::move(object));
      }
      report[sheet.name] = std::move(rows);
    }
    reports.push_back(std::move(report));
  }
  const ordered_json root = {
      {"schema", 1}, {"command", page.command}, {"systems", page.systems}, {"reports", reports}};
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string page_csv(const Page& page) {
  constexpr const char* common[] = {"model", "batch", "precision"};
  std::string header;
  std::string text;
  for (const Section& section : page.sections) {
    if (section.sheets.empty()) continue;
    const Sheet& sheet = section.sheets.front();
    std::string names;
    for (const char* name : common) names += (names.empty() ? "" : ",") + std::string(name);
    for (const Sheet::Column& column : sheet.columns) names += ',' + column.name;
    if (header.empty()) header = names;
    if (names != header) continue;
    for (const auto& row : sheet.rows) {
      std::string line;
      for (const char* name : common) {
        if (name != common[0]) line += ',';
        line += csv_field(section.facts.value(name, ordered_json()));
      }
      for (const Cell& cell : row) line += ',' + csv_field(cell.value);
      text += line + '\n';
    }
  }
  return header + '\n' + text;
}

std::string page_text(const Page& page, const std::string& format, std::size_t rows) {
  if (format == "json") return page_json(page);
  if (format == "csv") return page_csv(page);
  return page_table(page, rows);
}

}  // namespace benanza::analysis
