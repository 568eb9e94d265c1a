#include "analysis/render/page.h"

#include <fmt/format.h>

namespace benanza::analysis {
namespace {

template <class Format>
Cell number_cell(const std::optional<double>& value, Format&& format) {
  if (!value) return {.shown = "-", .value = nullptr};
  return {.shown = format(*value), .value = *value};
}

}  // namespace

Cell text_cell(std::string text) {
  nlohmann::ordered_json value = text;
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

Cell ratio_cell(std::optional<double> ratio) {
  return number_cell(ratio, [](double value) { return fmt::format("{:.3f}", value); });
}

Cell factor_cell(std::optional<double> factor) {
  return number_cell(factor, [](double value) { return fmt::format("{:.2f}x", value); });
}

Cell interval_cell(const std::optional<Interval>& interval) {
  if (!interval) return {.shown = "", .value = nullptr};
  return {.shown = fmt::format("{:.3f} to {:.3f}", interval->low, interval->high),
          .value = {interval->low, interval->high}};
}

Cell percent_cell(std::optional<double> part) {
  return number_cell(part, [](double value) { return fmt::format("{:.1f}%", value * 100); });
}

Cell megabytes_cell(std::optional<double> bytes) {
  return number_cell(bytes, [](double value) { return fmt::format("{:.3f}", value * 1e-6); });
}

std::string page_text(const Page& page, const std::string& format, std::size_t rows) {
  if (format == "json") return page_json(page);
  if (format == "csv") return page_csv(page);
  return page_table(page, rows);
}

}  // namespace benanza::analysis
