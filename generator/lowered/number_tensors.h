#pragma once

#include <optional>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// What an operand of Source::Kind::attribute is.
FlowOperand::Kind kind_of_attribute(const Source& source);

/// Which tensors the calls of `graph` work on. `fusions`: the same for its fusions, with tensors
/// numbered as in Read::tensor.
DataFlow number_tensors(const LoweredGraph& graph, std::vector<std::optional<FlowCall>> fusions);

}  // namespace benanza
