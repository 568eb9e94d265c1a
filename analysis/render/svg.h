#pragma once

#include <string>
#include <string_view>

#include "analysis/render/page.h"

namespace benanza::analysis {

/// Escapes text for HTML and SVG.
std::string escaped(std::string_view text);

/// Plots as figures with inline SVG, without scripts or external resources, in colours that remain
/// distinguishable in grey. Empty if there is nothing to show.
std::string svg(const Bars& bars);
std::string svg(const Waterfall& waterfall);
std::string svg(const Roofline& roofline);
std::string svg(const Curves& curves);
std::string svg(const Gantt& gantt);

/// The same as standalone files, with title and legend, and the caption below the plot.
std::string svg_file(const Bars& bars, std::string_view caption = {});
std::string svg_file(const Waterfall& waterfall, std::string_view caption = {});
std::string svg_file(const Roofline& roofline, std::string_view caption = {});
std::string svg_file(const Curves& curves, std::string_view caption = {});
std::string svg_file(const Gantt& gantt, std::string_view caption = {});

}  // namespace benanza::analysis
