#pragma once

#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::emit {

/// Multiply-adds of convolutions and matrix products; other work has none.
double macs(const LoweredLayer& layer);
double macs(const LoweredGraph& graph);

/// Whether operators that need no work at inference share one row of a summary.
enum class SummaryRows { brief, all };

/// A table for people: per ONNX operator and cost, how many layers, distinct problems, calls that
/// repeat one of them, GMACs, GFLOPs and MB (10^9 and 10^6, at fp32); the model's parameters; then
/// every reason a layer is unsupported; then what was assumed of dimensions that the data decide.
std::string summary(const LoweredGraph& graph, SummaryRows shown = SummaryRows::brief);

/// How much the graphs have in common: "30 graphs: 5,746 layers, ... 1,107 unique problems" (nodes
/// that only make a constant are no layers); per operator, calls and distinct problems; per graph,
/// its distinct problems and how many of them no other graph asks for. Fused calls are not counted.
std::string sharing(const std::vector<LoweredGraph>& graphs);

}  // namespace benanza::emit
