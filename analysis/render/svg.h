#pragma once

#include <string>
#include <string_view>

#include "analysis/render/svg_parts.h"

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
