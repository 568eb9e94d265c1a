#pragma once

#include <string>

#include "onnx/graph.h"

namespace benanza {

/// A table for people: per ONNX operator and cost, how many layers, distinct problems, GFLOPs and
/// MB (10^9 and 10^6, at fp32); then every reason a layer is unsupported.
std::string summary(const Graph& graph);

}  // namespace benanza
