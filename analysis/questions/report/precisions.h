#pragma once

#include <optional>

#include "analysis/questions/common/inputs.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// The layers of one model at each precision that was asked for, side by side; empty if there is
/// one alone.
std::optional<Section> precisions_section(const Inputs& inputs, const Graph& graph);

}  // namespace benanza::analysis
