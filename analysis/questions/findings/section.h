#pragma once

#include <vector>

#include "analysis/questions/findings/judge.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// For people. Without findings it says how much none is above. `all`: how many there are.
Points findings_points(const Matter& matter, const std::vector<Judged>& shown, std::size_t all);

/// Puts the first findings before what the section has, and adds the fact "findings".
void begin_with_findings(Section& section, const Matter& matter);

/// All findings of a model: the answer of `findings`.
Section findings_section(const Matter& matter);

}  // namespace benanza::analysis
