#include "analysis/render/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/render/svg.h"
#include "analysis/render/text.h"

namespace benanza::analysis::svg_parts {
namespace {

constexpr std::array<std::string_view, 9> colours{"#2b6ca3", "#e08a1e", "#5d9c59",
                                                  "#9a9a9a", "#8c5fa8", "#c0473d",
                                                  "#3fa7a0", "#7a5230", "#d884b5"};
constexpr std::size_t label_letters = 38;

std::string figure_text(const Picture& picture) {
  std::string legend;
  if (picture.series.size() >= 2) {
    legend = "<p class=\"legend\">";
    for (std::size_t i = 0; i < picture.series.size(); ++i) {
      legend += fmt::format("<span style=\"background:{}\"></span>{} ", colour(i),
                            escaped(picture.series[i]));
    }
    legend += "</p>\n";
  }
  return fmt::format(
      "<figure><figcaption>{}</figcaption>\n{}<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg></figure>\n",
      escaped(picture.title), legend, width, picture.height, escaped(picture.title), picture.body);
}

/// Wraps at spaces.
std::vector<std::string> lines_of(std::string_view words, std::size_t longest) {
  std::vector<std::string> lines;
  while (words.size() > longest) {
    const auto space = words.rfind(' ', longest);
    const auto end = space == words.npos || space == 0 ? longest : space;
    lines.emplace_back(words.substr(0, end));
    words.remove_prefix(space == end ? end + 1 : end);
  }
  if (!words.empty()) lines.emplace_back(words);
  return lines;
}

std::string file_text(const Picture& picture, std::string_view caption) {
  constexpr double title_height = 24;
  constexpr double legend_height = 20;
  constexpr double letter_width = 6.2;
  constexpr double margin = 10;
  constexpr double caption_height = 15;
  constexpr std::size_t caption_letters = 140;
  std::string head =
      fmt::format("<text x=\"{}\" y=\"16\" font-size=\"13\" font-weight=\"bold\">{}</text>\n",
                  margin, escaped(picture.title));
  double y = title_height;
  if (picture.series.size() >= 2) {
    double x = margin;
    for (std::size_t i = 0; i < picture.series.size(); ++i) {
      const double length = 24 + letter_width * static_cast<double>(picture.series[i].size()) + 10;
      if (x > margin && x + length > width) {
        x = margin;
        y += legend_height;
      }
      head += rectangle(x, y + 2, 11, 11, colour(i), picture.series[i]) +
              text(x + 16, y + 12, picture.series[i]);
      x += length;
    }
    y += legend_height;
  }
  std::string foot;
  double below = picture.height + y + margin;
  for (const std::string& line : lines_of(caption, caption_letters)) {
    below += caption_height;
    foot += fmt::format("<text x=\"{}\" y=\"{:.0f}\" fill=\"#555\">{}</text>\n", margin,
                        below - margin / 2, escaped(line));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n{}<g transform=\"translate(0 {:.0f})\">\n{}</g>\n{}</svg>\n",
      width, below, head, y, picture.body, foot);
}

}  // namespace

std::string_view colour(std::size_t index) { return colours[index % colours.size()]; }

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

std::string figure_of(const std::optional<Picture>& picture) {
  return picture ? figure_text(*picture) : "";
}

std::string file_of(const std::optional<Picture>& picture, std::string_view caption) {
  return picture ? file_text(*picture, caption) : "";
}

}  // namespace benanza::analysis::svg_parts
