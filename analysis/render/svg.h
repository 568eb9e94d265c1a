#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Plots as inline SVG: no script, nothing from a network. Colours that also tell apart in grey.
namespace benanza::analysis::svg {

/// Text as it may stand in HTML and SVG.
std::string escaped(std::string_view text);

/// One value per category; empty where unknown: no bar.
struct Series {
  std::string name{};
  std::vector<std::optional<double>> values{};
};

/// Horizontal bars, the series of a category below each other, each with its value. `unit` follows
/// the values.
std::string bars(const std::string& title, const std::vector<std::string>& categories,
                 const std::vector<Series>& series, const std::string& unit, int decimals = 3);

/// Bars of one whole each, split into parts: `series[part].values[bar]`.
std::string stacked(const std::string& title, const std::vector<std::string>& categories,
                    const std::vector<Series>& series, const std::string& unit, int decimals = 3);

/// From the first value down (or up) to the last, step by step: what every step changes.
std::string waterfall(const std::string& title,
                      const std::vector<std::pair<std::string, double>>& steps,
                      const std::string& unit, int decimals = 3);

struct Point {
  double x = 0;
  double y = 0;
  /// Area, relative to other points.
  double weight = 1;
  /// Shown when pointed at.
  std::string label{};
  std::size_t series = 0;
};

/// A bound min(slope * x, level).
struct Roof {
  std::string name{};
  double slope = 0;
  double level = 0;
};

/// Points and roofs over two logarithmic axes.
std::string roofline(const std::string& title, const std::vector<Point>& points,
                     const std::vector<std::string>& series, const std::vector<Roof>& roofs,
                     const std::string& x_name, const std::string& y_name);

}  // namespace benanza::analysis::svg
