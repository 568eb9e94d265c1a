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

/// A reduction over two groups of neighbouring axes: that over the inner one, then that of its
/// result over the outer one.
struct TwoMiddles {
  Middle inner;
  Middle outer;
};
/// Returns nullopt for any other number of groups.
std::optional<TwoMiddles> two_middles_of(const Dims& input, const Dims& axes);

/// How to reduce the middle axis: with the reduction primitive, with global pooling (mean, max and,
/// of the opposites, min),
/// or with a product of the elements, their squares or their magnitudes with ones; own_product: for
/// sums of squares and their roots over the innermost axis, of every row with itself.
enum class ReduceBy { reduction, pooling, product, own_product };

/// Returns the plan for `problem`, whose result holds outer x inner elements in this order,
/// whatever its extents. The plan's first operand is the tensor in the order of `middle`; the
/// steps' operands follow. Throws Unsupported if there is no such call.
Plan plan_reduction(ReduceBy how, const Middle& middle, ReductionKind kind, const Problem& problem,
                    const VariantContext& context);

/// The same in two steps, for sums, means, maxima and minima: the first by the reduction primitive
/// if the axes are innermost, otherwise by pooling; the second as `how` says. Throws Unsupported if
/// the library has only reference code for the first.
Plan plan_two_reductions(ReduceBy how, const TwoMiddles& middles, ReductionKind kind,
                         const Problem& problem, const VariantContext& context);

dnnl::algorithm algorithm_of(ReductionKind kind);

}  // namespace benanza::onednn
