#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace benanza::analysis::svg {

// Words of the SVG files of this folder.

inline constexpr std::array<std::string_view, 9> colours{"#2b6ca3", "#e08a1e", "#5d9c59",
                                                         "#9a9a9a", "#8c5fa8", "#c0473d",
                                                         "#3fa7a0", "#7a5230", "#d884b5"};
inline std::string_view colour(std::size_t index) { return colours[index % colours.size()]; }

inline constexpr double width = 860;
inline constexpr double label_width = 270;
inline constexpr double value_width = 90;
inline constexpr double bar_height = 14;

std::string rectangle(double x, double y, double w, double h, std::string_view fill,
                      std::string_view tip);
/// `anchor`: start, middle, end.
std::string text(double x, double y, std::string_view words, std::string_view anchor = "start");
std::string line(double x1, double y1, double x2, double y2, std::string_view stroke);
/// The whole picture: a heading, and a legend of the series below it.
std::string picture(const std::string& title, double height, const std::string& legend,
                    const std::string& body);
std::string legend(const std::vector<std::string>& names);

}  // namespace benanza::analysis::svg
