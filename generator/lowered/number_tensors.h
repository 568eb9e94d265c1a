#pragma once

#include <optional>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// What an operand of Source::Kind::attribute is.
FlowOperand::Kind kind_of_attribute(const Source& source);

/// What is known of a fusion's calls: `call`, with tensors numbered as in Read::tensor, or all
/// calls that do layer `layer`; neither, if nothing is.
struct FusedCalls {
  std::optional<FlowCall> call = {};
  std::size_t layer = 0;
  std::vector<Call> calls = {};
};

/// Which tensors the calls of `graph` and of its fusions work on.
DataFlow number_tensors(const LoweredGraph& graph, std::vector<FusedCalls> fusions);

}  // namespace benanza
