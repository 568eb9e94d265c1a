#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// What an operand of Source::Kind::attribute is.
FlowOperand::Kind kind_of_attribute(const Source& source);

/// Which tensors the calls of `graph` work on. `fusions`: the same for its fusions, with tensors
/// numbered as in Read::tensor.
/// `parts`: the calls of layers done by parts (generator/fusion/parts.h).
DataFlow number_tensors(const LoweredGraph& graph, std::vector<std::optional<FlowCall>> fusions,
                        const std::map<std::size_t, std::vector<Call>>& parts = {});

}  // namespace benanza
