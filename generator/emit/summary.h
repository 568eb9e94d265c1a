#pragma once

#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::emit {

/// The multiply-adds of convolutions and matrix products; 0 for all other work.
double macs(const LoweredLayer& layer);
double macs(const LoweredGraph& graph);

/// Whether operators that need no work at inference share one row of a summary (brief).
enum class SummaryRows { brief, all };

/// Returns a table: per ONNX operator and cost, the number of layers, distinct problems, calls that
/// repeat one of them, GMACs, GFLOPs and MB (10^9 and 10^6, at fp32); the model's parameters; the
/// reasons why layers are unsupported; and the values assumed for dimensions that depend on the
/// data.
std::string summary(const LoweredGraph& graph, SummaryRows shown = SummaryRows::brief);

/// Summarizes what the graphs have in common: "30 graphs: 5,746 layers, ... 1,107 unique problems"
/// (nodes that only make a constant are not counted); per operator, calls and distinct problems;
/// per graph, its distinct problems and how many of them no other graph has. Fused calls are not
/// counted.
std::string sharing(const std::vector<LoweredGraph>& graphs);

}  // namespace benanza::emit
