// Plots over axes with numbers: curves and Gantt charts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

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

/// An axis from 0 to a whole number of steps of 1, 2 or 5 times a power of ten.
class LinearAxis {
 public:
  LinearAxis(double most, double from, double to) : from_(from), to_(to) {
    constexpr double steps = 6;
    const double rough = (most > 0 ? most : 1) / steps;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    step_ = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (factor * power >= rough) step_ = factor * power;
    }
    end_ = std::ceil(most / step_ - 1e-9) * step_;
    if (end_ <= 0) end_ = step_;
  }
  double at(double value) const { return from_ + value / end_ * (to_ - from_); }
  std::vector<double> ticks() const {
    std::vector<double> all;
    for (int i = 0; i * step_ <= end_ * (1 + 1e-9); ++i) all.push_back(i * step_);
    return all;
  }

 private:
  double from_, to_;
  double step_ = 1;
  double end_ = 1;
};

/// An axis of curves: linear from 0, or logarithmic if the values span more than a factor of 20.
class CurveAxis {
 public:
  CurveAxis(double least, double most, double from, double to, bool is_linear)
      : linear_(most, from, to), least_(least), most_(most), from_(from), to_(to) {
    constexpr double far_apart = 20;
    is_logarithmic_ = !is_linear && least > 0 && most > far_apart * least;
  }
  double at(double value) const {
    if (!is_logarithmic_) return linear_.at(value);
    return from_ + std::log(value / least_) / std::log(most_ / least_) * (to_ - from_);
  }
  /// Of a logarithmic axis 1, 2 and 5 times powers of ten, or over many powers these alone.
  std::vector<double> ticks() const {
    if (!is_logarithmic_) return linear_.ticks();
    constexpr double many = 1e4;
    std::vector<double> all;
    for (double power = std::pow(10.0, std::floor(std::log10(least_))); power <= most_;
         power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = factor * power;
        if (factor > 1 && most_ > many * least_) continue;
        if (tick >= least_ * (1 - 1e-9) && tick <= most_ * (1 + 1e-9)) all.push_back(tick);
      }
    }
    return all;
  }
  std::string name(const std::string& name) const {
    return is_logarithmic_ ? name + " (logarithmic)" : name;
  }

 private:
  LinearAxis linear_;
  double least_, most_, from_, to_;
  bool is_logarithmic_ = false;
};

constexpr double plot_left = 70;
constexpr double plot_right = width - 20;
constexpr double plot_top = 10;
constexpr double plot_bottom = 330;

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

std::optional<Picture> draw(const Curves& curves) {
  double x_most = 0;
  double y_most = 0;
  double x_least = std::numeric_limits<double>::infinity();
  double y_least = std::numeric_limits<double>::infinity();
  std::vector<std::string> series;
  std::size_t points = 0;
  for (const Curves::Curve& curve : curves.curves) {
    series.push_back(curve.name);
    points += curve.points.size();
    for (const auto& [x, y] : curve.points) {
      x_most = std::max(x_most, x);
      y_most = std::max(y_most, y);
      x_least = std::min(x_least, x);
      y_least = std::min(y_least, y);
    }
  }
  if (points == 0) return std::nullopt;
  const CurveAxis x(x_least, x_most, plot_left, plot_right, curves.of_shares);
  const CurveAxis y(y_least, y_most, plot_bottom, plot_top, curves.of_shares);
  std::string body;
  for (const double tick : x.ticks()) {
    body += line(x.at(tick), plot_top, x.at(tick), plot_bottom, "#ddd") +
            text(x.at(tick), plot_bottom + 14, fmt::format("{:g}", tick), "middle");
  }
  for (const double tick : y.ticks()) {
    body += line(plot_left, y.at(tick), plot_right, y.at(tick), "#ddd") +
            text(plot_left - 6, y.at(tick) + 4, fmt::format("{:g}", tick), "end");
  }
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    const auto& all = curves.curves[i].points;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const auto& [px, py] = all[p];
      if (p > 0) {
        body +=
            line(x.at(all[p - 1].first), y.at(all[p - 1].second), x.at(px), y.at(py), colour(i));
      }
      body += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}</title></circle>\n",
          x.at(px), y.at(py), colour(i),
          escaped(fmt::format("{}: {:g}, {:.3f}", curves.curves[i].name, px, py)));
    }
  }
  body += text((plot_left + plot_right) / 2, plot_bottom + 30, x.name(curves.x_name), "middle");
  body += text(plot_left, plot_top - 2, y.name(curves.y_name));
  return Picture{curves.title, plot_bottom + 38, series, body};
}

std::optional<Picture> draw(const Gantt& gantt) {
  double most = 0;
  for (const Gantt::Piece& piece : gantt.pieces) most = std::max(most, piece.end);
  if (most <= 0) return std::nullopt;
  constexpr double lane_left = 130;
  constexpr double lane_height = 22;
  const LinearAxis x(most, lane_left, plot_right);
  const double height = 4 + lane_height * static_cast<double>(gantt.lanes.size());
  std::string body;
  for (const double tick : x.ticks()) {
    body += line(x.at(tick), 0, x.at(tick), height, "#ddd") +
            text(x.at(tick), height + 14, fmt::format("{:g}", tick), "middle");
  }
  for (std::size_t i = 0; i < gantt.lanes.size(); ++i) {
    body += text(lane_left - 8, 18 + lane_height * static_cast<double>(i), gantt.lanes[i], "end");
  }
  for (const Gantt::Piece& piece : gantt.pieces) {
    if (piece.end <= piece.begin) continue;
    body += rectangle(
        x.at(piece.begin), 5 + lane_height * static_cast<double>(piece.lane),
        x.at(piece.end) - x.at(piece.begin), lane_height - 6, colour(piece.series),
        fmt::format("{}: {:.3f} to {:.3f} {}", piece.name, piece.begin, piece.end, gantt.unit));
  }
  body += text((lane_left + plot_right) / 2, height + 30, gantt.unit, "middle");
  return Picture{gantt.title, height + 38, gantt.series, body};
}

}  // namespace benanza::analysis::svg_parts
