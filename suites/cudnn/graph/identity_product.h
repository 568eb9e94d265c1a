#pragma once

#include <cstdint>
#include <vector>

#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// Elements of a row that a conversion by identity_product() may have, the fastest for few elements
/// first: those that divide `count`.
std::vector<std::int64_t> identity_widths(std::int64_t count);

/// The formats of one matrix of `count` elements in rows of `width`.
nvidia::TensorFormat rows_of(Precision precision, std::int64_t count, std::int64_t width);

/// Adds y = factor * x for tensors of rows_of(), of which x has 16 bits or those of a float of 8,
/// as a product with an identity matrix: the library's kernels for products round to 8 bits in 1.5
/// us what its elementwise ones take 6.5 us for (32,768 elements, 9.19, H200). An infinity in a row
/// makes the others NaN. `factors`: the tensor of the factors, or their scalar.
void identity_product(OperationGraph& graph, const nvidia::TensorFormat& rows, OperationGraph::Id x,
                      OperationGraph::Id factors, OperationGraph::Id y);

}  // namespace benanza::cudnn
