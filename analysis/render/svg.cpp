#include "analysis/render/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/render/text.h"

namespace benanza::analysis {
namespace svg_parts {
namespace {

constexpr double left = 70;
constexpr double right = width - 20;
constexpr double top = 10;
constexpr double bottom = 380;

/// A logarithmic axis over whole powers of ten.
class Axis {
 public:
  Axis(double least, double most, double from, double to)
      : low_(std::floor(std::log10(least))),
        high_(std::max(std::ceil(std::log10(most)), low_ + 1)),
        from_(from),
        to_(to) {}
  double at(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  int low() const { return static_cast<int>(low_); }
  int high() const { return static_cast<int>(high_); }

 private:
  double low_, high_, from_, to_;
};

std::string power(int exponent) {
  constexpr const char* names[] = {"1", "10", "100"};
  constexpr const char* steps[] = {"", "k", "M", "G", "T", "P"};
  if (exponent < 0 || exponent >= 18) return fmt::format("1e{}", exponent);
  return fmt::format("{}{}", names[exponent % 3], steps[exponent / 3]);
}

std::string grid(const Axis& x, const Axis& y) {
  std::string body;
  for (int exponent = x.low(); exponent <= x.high(); ++exponent) {
    const double at = x.at(std::pow(10.0, exponent));
    body += line(at, top, at, bottom, "#ddd") + text(at, bottom + 14, power(exponent), "middle");
  }
  for (int exponent = y.low(); exponent <= y.high(); ++exponent) {
    const double at = y.at(std::pow(10.0, exponent));
    body += line(left, at, right, at, "#ddd") + text(left - 6, at + 4, power(exponent), "end");
  }
  return body;
}

/// The length of bars, linear or logarithmic.
class BarLengths {
 public:
  explicit BarLengths(const Bars& bars) {
    double least = std::numeric_limits<double>::infinity();
    for (const Series& one : bars.series) {
      for (const auto& value : one.values) {
        most_ = std::max(most_, value.value_or(0));
        if (value) least = std::min(least, *value);
      }
    }
    // A value that is displayed as 0 must not become a full-width bar.
    if (most_ < 0.5 * std::pow(10.0, -bars.decimals)) most_ = 1;
    constexpr double far_apart = 20;
    if (bars.of_models && bars.categories.size() > 1 && least > 0 && most_ > far_apart * least) {
      // The least has a bar, too.
      axis_.emplace(0.9 * least, most_, 0, bars_width);
    }
  }
  double operator()(double value) const {
    return axis_ ? std::max(0.0, axis_->at(value)) : std::max(0.0, value) / most_ * bars_width;
  }
  bool is_logarithmic() const { return axis_.has_value(); }
  /// Lines and names at powers of ten, down to `end`.
  std::string grid(double end) const {
    std::string body;
    for (int exponent = axis_->low(); exponent <= axis_->high(); ++exponent) {
      const double tick = std::pow(10.0, exponent);
      const double at = label_width + axis_->at(tick);
      body +=
          line(at, 2, at, end, "#ddd") + text(at, end + 12, fmt::format("{:g}", tick), "middle");
    }
    return body;
  }

 private:
  double most_ = 0;
  std::optional<Axis> axis_;
};

Picture plain_bars(const Bars& bars) {
  const auto& [title, categories, series, unit, decimals, stacked, in_text, of_models] = bars;
  const BarLengths length(bars);
  std::string body;
  double y = 4;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const double begin = y;
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (const auto& value = series[s].values[i]) {
        const double w = length(*value);
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
  if (!length.is_logarithmic()) return {title, y, names(series), body};
  return {title + " (logarithmic axis)", y + 16, names(series), length.grid(y) + body};
}

Picture stacked_bars(const Bars& bars) {
  const auto& [title, categories, series, unit, decimals, stacked, in_text, of_models] = bars;
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
  return {title, y, names(series), body};
}

}  // namespace

std::optional<Picture> draw(const Bars& bars) {
  if (bars.categories.empty() || bars.series.empty()) return std::nullopt;
  return bars.stacked ? stacked_bars(bars) : plain_bars(bars);
}

std::optional<Picture> draw(const Waterfall& waterfall) {
  const auto& [title, steps, unit, decimals] = waterfall;
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
  return Picture{title, y, {}, body};
}

std::optional<Picture> draw(const Roofline& roofline) {
  const auto& [title, points, series, roofs, x_name, y_name] = roofline;
  if (points.empty()) return std::nullopt;
  double x_least = points[0].x, x_most = points[0].x;
  double y_least = points[0].y, y_most = points[0].y;
  double weight_most = 0;
  for (const Roofline::Point& point : points) {
    x_least = std::min(x_least, point.x);
    x_most = std::max(x_most, point.x);
    y_least = std::min(y_least, point.y);
    y_most = std::max(y_most, point.y);
    weight_most = std::max(weight_most, point.weight);
  }
  for (const Roofline::Roof& roof : roofs) {
    y_most = std::max(y_most, roof.level);
    if (roof.slope > 0) x_most = std::max(x_most, roof.level / roof.slope);
  }
  const Axis x(x_least, x_most, left, right);
  const Axis y(y_least, y_most, bottom, top);
  std::string body = grid(x, y);
  const double x_begin = std::pow(10.0, x.low());
  const double x_end = std::pow(10.0, x.high());
  const double y_begin = std::pow(10.0, y.low());
  for (const Roofline::Roof& roof : roofs) {
    const double ridge = roof.slope > 0 ? roof.level / roof.slope : x_begin;
    if (roof.slope > 0) {
      const double start = std::max(x_begin, y_begin / roof.slope);
      if (start < ridge) {
        body += line(x.at(start), y.at(start * roof.slope), x.at(ridge), y.at(roof.level), "#333");
      }
    }
    body += line(x.at(std::max(ridge, x_begin)), y.at(roof.level), x.at(x_end), y.at(roof.level),
                 "#333");
    body += text(right - 4, y.at(roof.level) - 4, roof.name, "end");
  }
  for (const Roofline::Point& point : points) {
    const double radius = 2.5 + 9 * std::sqrt(point.weight / std::max(weight_most, 1e-300));
    body += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.55\">"
        "<title>{}</title></circle>\n",
        x.at(point.x), y.at(point.y), radius, colour(point.series), escaped(point.label));
  }
  body += text((left + right) / 2, bottom + 30, x_name, "middle");
  body += text(left, top - 2, y_name);
  return Picture{title, bottom + 38, series, body};
}

}  // namespace svg_parts

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

}  // namespace benanza::analysis
