#pragma once

#include <vector>

#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// One elementwise call that reduces what it computes, whose result the library stores as fp32: of
/// rows, or of all columns. Throws Unsupported for other axes, and for results that are no plain
/// sum, maximum or minimum in fp32.
std::vector<GraphCall> reduced_graphs(const Reduction& shape, const harness::Variant& variant);

/// The same, and an elementwise call that takes the root or converts the result.
std::vector<GraphCall> reduced_sequences(const Reduction& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
