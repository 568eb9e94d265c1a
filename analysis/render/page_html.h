#pragma once

#include <string>
#include <vector>

#include "analysis/render/page.h"

namespace benanza::analysis {

/// A chapter of the HTML report: plots (SVG) before the tables of a page's section.
struct Chapter {
  std::string title{};
  std::vector<std::string> plots{};
  Section section{};
};

/// One HTML page that needs nothing else: style within, plots inline, tables that fold away.
std::string html_page(const std::string& title, const std::map<std::string, System>& systems,
                      const std::vector<Chapter>& chapters);

}  // namespace benanza::analysis
