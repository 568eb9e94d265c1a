#pragma once

#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns the extents in the order in which the axes lie in memory.
Dims memory_order(const Dims& dims, Layout layout);

/// How operands that hold only 0 and 1 are stored.
enum class TruthValues { as_numbers, bytes };

struct ElementwiseWay {
  TruthValues truths = TruthValues::as_numbers;
  Comparison comparison = Comparison::chooses;
};

/// Returns one pointwise graph for an Activation or a Binary with its steps, or for a Select.
/// Neighbouring axes along which all tensors broadcast alike are merged. Throws Unsupported for
/// functions that the library does not have, and at int8.
GraphCall elementwise_graph(const harness::Variant& variant, ElementwiseWay way = {});

}  // namespace benanza::cudnn
