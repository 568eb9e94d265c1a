#pragma once

#include <vector>

#include "analysis/questions/compare/common_change.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

Interval ratios(const Interval& logarithms);

/// One row for each backend: what its calls have in common, by which reference, and the verdict.
Sheet common_sheet(const std::vector<CommonChange>& common);
/// "all slower", "all longer (cannot tell)": a common change as a row of a table of changes.
std::string change_word(const CommonChange& common);
/// Empty if there is nothing to tell.
std::optional<CommonVerdict> told_verdict(const CommonChange* common);

}  // namespace benanza::analysis
