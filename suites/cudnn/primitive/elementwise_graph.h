#pragma once

#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// The axes in the order in which they lie in memory.
Dims memory_order(const Dims& dims, Layout layout);

/// An Activation or a Binary and its steps as one graph of functions of every element. Neighbouring
/// axes along which every tensor is broadcast alike are one axis there. Throws Unsupported for
/// functions that the library does not have, and at int8.
GraphCall elementwise_graph(const harness::Variant& variant);

}  // namespace benanza::cudnn
