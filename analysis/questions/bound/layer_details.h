#pragma once

#include <string>

#include "analysis/questions/bound/report.h"

namespace benanza::analysis {

/// What the report says of one layer beyond its row: the calls in the bound, and of every problem
/// that can be its call all variants measured at its precision, the fastest first. Lines of text.
std::string layer_details(const BoundReport& report, std::size_t layer);

}  // namespace benanza::analysis
