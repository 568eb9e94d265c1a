#include "analysis/render/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>

namespace benanza::analysis {

Cell unknown_cell() { return {.shown = "-", .value = nullptr}; }

Cell cell(std::optional<double> number, const Unit& unit) {
  if (!number) return unknown_cell();
  return {.shown = fmt::format("{:.{}f}{}", *number * unit.factor, unit.decimals, unit.suffix),
          .value = *number};
}

namespace detail {

Cell text_cell(std::string_view text) { return {.shown = std::string(text), .value = text}; }

Cell flag_cell(bool flag) { return {.shown = flag ? "yes" : "no", .value = flag}; }

Cell interval_cell(const Interval& interval) {
  return {.shown = fmt::format("{:.3f} to {:.3f}", interval.low, interval.high),
          .value = {interval.low, interval.high}};
}

}  // namespace detail

namespace {

double number_in(const Sheet& sheet, std::size_t row, std::size_t column) {
  const nlohmann::ordered_json& value = sheet.rows[row][column].value;
  return value.is_number() ? value.get<double>() : 0.0;
}

bool are_equal_after_first(const Sheet& sheet, std::size_t a, std::size_t b) {
  return std::ranges::equal(sheet.rows[a] | std::views::drop(1),
                            sheet.rows[b] | std::views::drop(1), {}, &Cell::shown, &Cell::shown);
}

/// All rows; the largest first if the sheet says by what.
std::vector<std::size_t> largest_first(const Sheet& sheet) {
  std::vector<std::size_t> order(sheet.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sheet.largest_by) {
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t row) {
      return number_in(sheet, row, *sheet.largest_by);
    });
  }
  return order;
}

/// The rows of each line: equal ones share a line, at most `most` lines have them all.
std::vector<std::vector<std::size_t>> equal_once(const Sheet& sheet,
                                                 const std::vector<std::size_t>& order,
                                                 std::size_t most) {
  std::vector<std::vector<std::size_t>> lines;
  for (const std::size_t row : order) {
    const auto equal =
        sheet.equal_ones.empty() ? lines.end() : std::ranges::find_if(lines, [&](const auto& line) {
          return are_equal_after_first(sheet, line.front(), row);
        });
    if (equal != lines.end()) {
      equal->push_back(row);
    } else if (lines.size() < most) {
      lines.push_back({row});
    }
  }
  return lines;
}

std::vector<std::vector<std::size_t>> chosen_lines(const Sheet& sheet, std::size_t most) {
  const bool has_all = sheet.all_rows || most >= sheet.rows.size();
  if (!has_all) return equal_once(sheet, largest_first(sheet), most);
  std::vector<std::vector<std::size_t>> lines;
  for (std::size_t row = 0; row < sheet.rows.size(); ++row) lines.push_back({row});
  return lines;
}

std::string remark_of(const Sheet& sheet, const std::vector<std::vector<std::size_t>>& lines) {
  if (lines.size() == sheet.rows.size()) return "";
  std::size_t rows = 0;
  double share = 0;
  for (const auto& line : lines) {
    rows += line.size();
    if (sheet.share) {
      share +=
          static_cast<double>(line.size()) * number_in(sheet, line.front(), sheet.share->column);
    }
  }
  std::string text = rows == sheet.rows.size()
                         ? fmt::format("all {}, equal ones once", rows)
                         : fmt::format("the {} {} of {}", sheet.largest_by ? "largest" : "first",
                                       rows, sheet.rows.size());
  if (sheet.share) text += fmt::format(", {:.1f}% of {}", share * 100, sheet.share->whole);
  return text + "; --rows all shows all";
}

Lines shown_lines(const Sheet& sheet, std::vector<std::vector<std::size_t>> members) {
  const bool has_equal =
      std::ranges::any_of(members, [](const auto& line) { return line.size() > 1; });
  Lines lines{.columns = sheet.columns};
  if (has_equal) {
    lines.columns.insert(lines.columns.begin() + 1, {.title = sheet.equal_ones, .number = true});
  }
  for (const auto& line : members) {
    std::vector<Cell>& cells = lines.rows.emplace_back(sheet.rows[line.front()]);
    if (has_equal) cells.insert(cells.begin() + 1, cell(line.size()));
  }
  lines.members = std::move(members);
  return lines;
}

}  // namespace

Lines lines_of(const Sheet& sheet, std::size_t most) {
  Lines lines = shown_lines(sheet, chosen_lines(sheet, most));
  lines.remark = remark_of(sheet, lines.members);
  return lines;
}

Lines all_lines_of(const Sheet& sheet) {
  return shown_lines(sheet, equal_once(sheet, largest_first(sheet), sheet.rows.size()));
}

std::string page_text(const Page& page, const std::string& format, std::size_t rows) {
  if (format == "json") return page_json(page);
  if (format == "csv") return page_csv(page);
  if (format == "markdown") return page_markdown(page, rows);
  return page_table(page, rows);
}

}  // namespace benanza::analysis
