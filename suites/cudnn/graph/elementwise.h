#pragma once

#include <cstdint>
#include <vector>

#include "suites/cudnn/graph/graph.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

/// A tensor stored in the order of `dims`, in the form that the library handles best: at least four
/// axes, the innermost one of `dims` as channels. 8x3 -> 8x3x1x1, 5x7x3 -> 5x3x7x1.
nvidia::TensorFormat innermost_as_channels(Precision precision, Dims dims);

/// Splits `count` elements, whose positions do not matter, into rows and columns. The library's
/// pointwise kernels work in tiles, of 32 rows x 64 columns for one, and support at most 65,535
/// tiles side by side. Uses 128 or 64 columns, otherwise the largest divisor below 128. The library
/// refuses a single column: a count without a divisor becomes one row unless that is too long.
Dims as_matrix(std::int64_t count);

/// Formats of tensors that broadcast to the last one, given as their extents in memory order.
/// Neighbouring axes along which all broadcast alike are merged; a single axis, and a last one that
/// is too long for the library's kernels, become as_matrix(). Three axes are row-major if every
/// tensor has all of them, lacks the middle one, or is one element: of other tensors of three axes
/// the library has engines for row-major ones, too, but they compute wrong results or read what
/// they must not, and for more axes it has none (9.19, H100). All others, which the library then
/// refuses if it must, are innermost_as_channels().
std::vector<nvidia::TensorFormat> merged_formats(const std::vector<Precision>& precisions,
                                                 std::vector<Dims> tensors);

/// Pointwise graphs take tensors with gaps only as rows in two axes (9.19).
inline constexpr int most_strided_axes = 3;
/// The same of row-major tensors with strides of their own, in elements; empty: dense. Axes that
/// all tensors traverse alike are merged. Throws Unsupported if ranks differ, or more than
/// `most_strided_axes` are left.
std::vector<nvidia::TensorFormat> strided_formats(const std::vector<Precision>& precisions,
                                                  const std::vector<Dims>& tensors,
                                                  std::vector<Dims> strides);

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
