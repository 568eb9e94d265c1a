#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// The problems that together do the work of `problem`, one after the other, for libraries without
/// a call of their own for it; empty if it has no such parts. All libraries here have calls for
/// these.
std::vector<Problem> parts(const Problem& problem);

/// For every layer with a call that has parts: another way to do the layer, with the parts in its
/// place.
std::vector<Fusion> layers_by_parts(const Flow& flow);

}  // namespace benanza::fusion
