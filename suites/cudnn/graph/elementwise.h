#pragma once

#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

/// A tensor whose axes lie in memory in the order of `dims`, as the library likes it best: four
/// axes or more, the innermost one of `dims` as channels. 8x3 -> 8x3x1x1, 5x7x3 -> 5x3x7x1.
nvidia::TensorFormat innermost_as_channels(Precision precision, Dims dims);

/// Rows and columns of `count` elements whose places do not matter. The library's pointwise kernels
/// work in tiles, 32 rows of 64 columns for one, and cannot be started for more than 65,535 tiles
/// side by side: 128 columns, or 64, or the most below that. A single column they refuse: a number
/// of elements that nothing divides is a row, if it is not too long.
Dims as_matrix(std::int64_t count);

}  // namespace benanza::cudnn
