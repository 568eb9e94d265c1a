#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns one pointwise graph of a batch normalization with constant statistics, and its steps.
std::vector<GraphCall> batch_normalization_graphs(const BatchNormalization& shape,
                                                  const harness::Variant& variant);

}  // namespace benanza::cudnn
