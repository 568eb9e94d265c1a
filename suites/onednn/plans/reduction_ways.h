#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// A tensor of outer x length x inner elements, in this memory order, whose middle axis is reduced.
struct Middle {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  bool operator==(const Middle&) const = default;
};
/// Returns nullopt if `axes` of a row-major tensor are not adjacent, ignoring axes of extent 1.
std::optional<Middle> middle_of(const Dims& input, const Dims& axes);

/// How to reduce the middle axis: with the reduction primitive, with global pooling (mean and max),
/// or with a product of the elements, their squares or their magnitudes with ones; own_product: for
/// sums of squares and their roots over the innermost axis, of every row with itself.
enum class ReduceBy { reduction, pooling, product, own_product };

/// Returns the plan for `problem`, whose result holds outer x inner elements in this order,
/// whatever its extents. The plan's first operand is the tensor in the order of `middle`; the
/// steps' operands follow. Throws Unsupported if there is no such call.
Plan plan_reduction(ReduceBy how, const Middle& middle, ReductionKind kind, const Problem& problem,
                    const VariantContext& context);

dnnl::algorithm algorithm_of(ReductionKind kind);

}  // namespace benanza::onednn
