#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// The calls that together do the work of `problem`, one after the other, for libraries without
/// a call of their own for it; empty if it has no such parts. All libraries here have calls for
/// these.
/// An operand of Source::Kind::input is that of `problem`; of Kind::call, an earlier part's result.
/// A part without operands: what it works on is none of these.
std::vector<Call> parts(const Problem& problem);

/// A layer with the parts of its calls in their place.
struct LayerByParts : Fusion {
  std::vector<Call> calls = {};
  /// What all of them work on is known.
  bool known = true;
};

/// Every layer with a call that has parts.
std::vector<LayerByParts> layers_by_parts(const Flow& flow);

}  // namespace benanza::fusion
