#include <algorithm>
#include <cmath>

#include "analysis/render/svg.h"
#include "analysis/render/svg_text.h"

namespace benanza::analysis::svg {
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

}  // namespace

std::string roofline(const std::string& title, const std::vector<Point>& points,
                     const std::vector<std::string>& series, const std::vector<Roof>& roofs,
                     const std::string& x_name, const std::string& y_name) {
  if (points.empty()) return "";
  double x_least = points[0].x, x_most = points[0].x;
  double y_least = points[0].y, y_most = points[0].y;
  double weight_most = 0;
  for (const Point& point : points) {
    x_least = std::min(x_least, point.x);
    x_most = std::max(x_most, point.x);
    y_least = std::min(y_least, point.y);
    y_most = std::max(y_most, point.y);
    weight_most = std::max(weight_most, point.weight);
  }
  for (const Roof& roof : roofs) {
    y_most = std::max(y_most, roof.level);
    if (roof.slope > 0) x_most = std::max(x_most, roof.level / roof.slope);
  }
  const Axis x(x_least, x_most, left, right);
  const Axis y(y_least, y_most, bottom, top);
  std::string body = grid(x, y);
  const double x_begin = std::pow(10.0, x.low());
  const double x_end = std::pow(10.0, x.high());
  const double y_begin = std::pow(10.0, y.low());
  for (const Roof& roof : roofs) {
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
  for (const Point& point : points) {
    const double radius = 2.5 + 9 * std::sqrt(point.weight / std::max(weight_most, 1e-300));
    body += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.55\">"
        "<title>{}</title></circle>\n",
        x.at(point.x), y.at(point.y), radius, colour(point.series), escaped(point.label));
  }
  body += text((left + right) / 2, bottom + 30, x_name, "middle");
  body += text(left, top + 10, y_name);
  return picture(title, bottom + 38, legend(series), body);
}

}  // namespace benanza::analysis::svg
