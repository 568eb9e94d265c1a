#pragma once

#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// The axes in the order in which they lie in memory.
Dims memory_order(const Dims& dims, Layout layout);

/// How the operands are stored that hold nothing but 0 and 1.
enum class TruthValues { as_numbers, bytes };

struct ElementwiseWay {
  TruthValues truths = TruthValues::as_numbers;
  Comparison comparison = Comparison::chooses;
};

/// An Activation or a Binary and its steps, or a Select, as one graph of functions of every
/// element. Neighbouring axes along which every tensor is broadcast alike are one axis there.
/// Throws Unsupported for functions that the library does not have, and at int8.
GraphCall elementwise_graph(const harness::Variant& variant, ElementwiseWay way = {});

}  // namespace benanza::cudnn
