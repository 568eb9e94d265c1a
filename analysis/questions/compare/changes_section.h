#pragma once

#include <vector>

#include "analysis/questions/common/question.h"
#include "analysis/questions/compare/changes.h"
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

/// Two sets of results at one precision: what became slower, faster, and so on. `same`: include
/// unchanged rows.
Section changes_section(const MeasurementFilter& filter, const Changes& changes, double tolerance,
                        bool same);

}  // namespace benanza::analysis
