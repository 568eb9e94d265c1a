#pragma once

#include "analysis/questions/common/question.h"
#include "analysis/questions/compare/changes.h"

namespace benanza::analysis {

/// Two sets of results at one precision: what became slower, faster, and so on. `same`: include
/// unchanged rows.
Section changes_section(const MeasurementFilter& filter, const Changes& changes, double tolerance,
                        bool same);

}  // namespace benanza::analysis
