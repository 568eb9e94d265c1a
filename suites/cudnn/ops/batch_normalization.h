#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// A batch normalization of constants, and its steps, as one graph of functions of every element.
std::vector<GraphCall> batch_normalization_graphs(const BatchNormalization& shape,
                                                  const harness::Variant& variant);

}  // namespace benanza::cudnn
