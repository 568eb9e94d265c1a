#include "analysis/render/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

}  // namespace

std::vector<std::size_t> shown_rows(const Sheet& sheet, std::size_t most) {
  std::vector<std::size_t> order(sheet.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sheet.all_rows || most >= order.size()) return order;
  if (sheet.largest_by) {
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t row) {
      return number_in(sheet, row, *sheet.largest_by);
    });
  }
  order.resize(most);
  return order;
}

std::string rows_remark(const Sheet& sheet, const std::vector<std::size_t>& shown) {
  if (shown.size() == sheet.rows.size()) return "";
  std::string text = fmt::format("the {} {} of {}", sheet.largest_by ? "largest" : "first",
                                 shown.size(), sheet.rows.size());
  if (sheet.share) {
    double share = 0;
    for (const std::size_t row : shown) share += number_in(sheet, row, sheet.share->column);
    text += fmt::format(", {:.1f}% of {}", share * 100, sheet.share->whole);
  }
  return text + "; --rows all shows all";
}

std::string page_text(const Page& page, const std::string& format, std::size_t rows) {
  if (format == "json") return page_json(page);
  if (format == "csv") return page_csv(page);
  if (format == "markdown") return page_markdown(page, rows);
  return page_table(page, rows);
}

}  // namespace benanza::analysis
