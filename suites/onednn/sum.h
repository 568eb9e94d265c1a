#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// A tensor of outer x length x inner elements, in this order in memory, whose middle axis goes.
struct Middle {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  bool operator==(const Middle&) const = default;
};
/// Empty where `axes` of a row-major tensor are not neighbours, but for axes of 1.
std::optional<Middle> middle_of(const Dims& input, const Dims& axes);

/// How one reduces the middle axis: by the primitive of that name, by global pooling (mean, max,
/// min is not there), or, sum and mean, by a product with ones.
enum class SumBy { reduction, pooling, product };

/// The plan for `problem`, whose result holds outer x inner elements in this order, whatever its
/// extents. The plan's first operand is the tensor in the order of `middle`; those of the steps
/// follow. Throws Unsupported where there is no such call.
Plan plan_sum(SumBy how, const Middle& middle, ReductionKind kind, const Problem& problem,
              const VariantContext& context);

dnnl::algorithm algorithm_of(ReductionKind kind);

}  // namespace benanza::onednn
