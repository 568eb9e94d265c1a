#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/page.h"

/// The elements of plots.
namespace benanza::analysis::svg_parts {

inline constexpr double width = 860;
inline constexpr double label_width = 270;
inline constexpr double value_width = 90;
inline constexpr double bar_height = 14;
/// Width of the bars, between their labels and their values.
inline constexpr double bars_width = width - label_width - value_width;

/// Returns the colour of a series; the first ones are distinguishable in grey, too.
std::string_view colour(std::size_t index);

/// `tip` is the tooltip.
std::string rectangle(double x, double y, double w, double h, std::string_view fill,
                      std::string_view tip);
std::string text(double x, double y, std::string_view words, std::string_view anchor = "start");
std::string line(double x1, double y1, double x2, double y2, std::string_view stroke);
/// "1.235 ms".
std::string number(double value, int decimals, const std::string& unit);
/// A label left of a bar.
std::string label(double y, const std::string& name);
std::vector<std::string> names(const std::vector<Series>& series);

/// A plot before it is placed in a page or a file.
struct Picture {
  std::string title{};
  double height = 0;
  /// In the order of the colours; fewer than two need no legend.
  std::vector<std::string> series{};
  std::string body{};
};
/// Empty if there is nothing to show.
std::optional<Picture> draw(const Bars& bars);
std::optional<Picture> draw(const Waterfall& waterfall);
std::optional<Picture> draw(const Roofline& roofline);
std::optional<Picture> draw(const Curves& curves);
std::optional<Picture> draw(const Gantt& gantt);

/// Returns a part of a page. Empty if there is no picture.
std::string figure_of(const std::optional<Picture>& picture);
/// Returns a standalone file, with title and legend above the plot and the caption below it. Empty
/// if there is no picture.
std::string file_of(const std::optional<Picture>& picture, std::string_view caption);

}  // namespace benanza::analysis::svg_parts

namespace benanza::analysis {

/// Escapes text for HTML and SVG.
std::string escaped(std::string_view text);

/// Plots as figures with inline SVG, without scripts or external resources, in colours that remain
/// distinguishable in grey. Empty if there is nothing to show.
template <class Plot>
auto svg(const Plot& plot) -> decltype(svg_parts::figure_of(svg_parts::draw(plot))) {
  return svg_parts::figure_of(svg_parts::draw(plot));
}

/// The same as standalone files, with title and legend, and the caption below the plot.
template <class Plot>
auto svg_file(const Plot& plot, std::string_view caption = {})
    -> decltype(svg_parts::file_of(svg_parts::draw(plot), caption)) {
  return svg_parts::file_of(svg_parts::draw(plot), caption);
}

}  // namespace benanza::analysis
