#include "analysis/render/svg.h"

#include <algorithm>
#include <cmath>

#include "analysis/render/svg_text.h"
#include "analysis/render/text_table.h"

namespace benanza::analysis::svg {

namespace {

constexpr double bars_width = width - label_width - value_width;
constexpr std::size_t label_letters = 38;

std::string number(double value, int decimals, const std::string& unit) {
  return fmt::format("{:.{}f}{}{}", value, decimals, unit.empty() ? "" : " ", unit);
}

std::string label(double y, const std::string& name) {
  return text(label_width - 8, y, shortened(name, label_letters), "end");
}

std::vector<std::string> names(const std::vector<Series>& series) {
  std::vector<std::string> names;
  for (const Series& one : series) names.push_back(one.name);
  return names;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string rectangle(double x, double y, double w, double h, std::string_view fill,
                      std::string_view tip) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
      "<title>{}</title></rect>\n",
      x, y, std::max(w, 0.5), h, fill, escaped(tip));
}

std::string text(double x, double y, std::string_view words, std::string_view anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view stroke) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, stroke);
}

std::string legend(const std::vector<std::string>& names) {
  if (names.size() < 2) return "";
  std::string text = "<p class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("<span style=\"background:{}\"></span>{} ", colour(i), escaped(names[i]));
  }
  return text + "</p>\n";
}

std::string picture(const std::string& title, double height, const std::string& legend,
                    const std::string& body) {
  return fmt::format(
      "<figure><figcaption>{}</figcaption>\n{}<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg></figure>\n",
      escaped(title), legend, width, height, escaped(title), body);
}

std::string bars(const std::string& title, const std::vector<std::string>& categories,
                 const std::vector<Series>& series, const std::string& unit, int decimals) {
  double most = 0;
  for (const Series& one : series) {
    for (const auto& value : one.values) most = std::max(most, value.value_or(0));
  }
  if (most <= 0) most = 1;
  std::string body;
  double y = 4;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const double begin = y;
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (const auto& value = series[s].values[i]) {
        const double w = std::max(0.0, *value) / most * bars_width;
        const std::string shown = number(*value, decimals, unit);
        body += rectangle(label_width, y, w, bar_height - 2, colour(s),
                          categories[i] + ", " + series[s].name + ": " + shown);
        body += text(label_width + w + 4, y + bar_height - 4, shown);
      }
      y += bar_height;
    }
    body += label((begin + y) / 2 + 4, categories[i]);
    y += 4;
  }
  return picture(title, y, legend(names(series)), body);
}

std::string stacked(const std::string& title, const std::vector<std::string>& categories,
                    const std::vector<Series>& series, const std::string& unit, int decimals) {
  double most = 0;
  std::vector<double> sums(categories.size());
  for (const Series& one : series) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += one.values[i].value_or(0);
  }
  for (const double sum : sums) most = std::max(most, sum);
  if (most <= 0) most = 1;
  std::string body;
  double y = 4;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    double x = label_width;
    for (std::size_t s = 0; s < series.size(); ++s) {
      const double value = series[s].values[i].value_or(0);
      if (value <= 0) continue;
      const double w = value / most * bars_width;
      body +=
          rectangle(x, y, w, bar_height, colour(s),
                    categories[i] + ", " + series[s].name + ": " + number(value, decimals, unit));
      x += w;
    }
    body += text(x + 4, y + bar_height - 3, number(sums[i], decimals, unit));
    body += label(y + bar_height - 3, categories[i]);
    y += bar_height + 5;
  }
  return picture(title, y, legend(names(series)), body);
}

std::string waterfall(const std::string& title,
                      const std::vector<std::pair<std::string, double>>& steps,
                      const std::string& unit, int decimals) {
  double most = 0;
  for (const auto& [name, value] : steps) most = std::max(most, value);
  if (most <= 0) most = 1;
  const double scale = bars_width / most;
  std::string body;
  double y = 4;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [name, value] = steps[i];
    const bool whole = i == 0 || i + 1 == steps.size();
    const double before = i == 0 ? 0 : steps[i - 1].second;
    const double left = whole ? 0 : std::min(before, value);
    const double right = whole ? value : std::max(before, value);
    const std::string change = whole ? number(value, decimals, unit)
                                     : fmt::format("{:+.{}f} {}", value - before, decimals, unit);
    body += rectangle(label_width + left * scale, y, (right - left) * scale, bar_height,
                      whole ? colour(0) : colour(value <= before ? 2 : 5), name + ": " + change);
    body += text(label_width + right * scale + 4, y + bar_height - 3, change);
    body += label(y + bar_height - 3, name);
    y += bar_height + 5;
  }
  return picture(title, y, "", body);
}

}  // namespace benanza::analysis::svg
