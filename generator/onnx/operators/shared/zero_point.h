#pragma once

#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// x (w - z) = x (w - m) - (z - m) (sums of x): integer weights whose zero point z is not the
/// middle m of their range take the product with w - m, the sums of the data, and a difference.
/// `product` may have a bias, no other steps. The sums are a product with weights of one filter or
/// column (of each group) that are all the same; `zero_point` stands for them. Throws
/// NotExpressible for groups of several filters.
std::vector<Call> with_sums_of_data(Call product, Source zero_point);

}  // namespace benanza::onnx
