#pragma once

#include <string_view>

namespace benanza::analysis {

/// analysis/render/page.css and page.js, parts of every HTML page.
std::string_view page_style();
std::string_view page_script();

}  // namespace benanza::analysis
