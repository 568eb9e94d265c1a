#include <algorithm>
#include <iterator>
#include <utility>

#include "suites/harness/packed_values.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/dequantized.h"
#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

std::vector<Attempt> gemm_attempts(const Gemm& shape, const Problem& problem,
                                   const VariantContext& context) {
  std::vector<Attempt> ways = product_attempts(shape, problem, context);
  std::vector<std::size_t> constants;
  if (shape.constant_b) constants.push_back(1);
  const auto floats =
      dequantized_attempts(context, constants, [&](const VariantContext& dequantized) {
        return product_attempts(shape, problem, dequantized);
      });
  ways.insert(ways.end(), floats.begin(), floats.end());
  return ways;
}

/// With the prefix "rounded.": products of fp32 data, which a reorder rounds to bf16 (timed), and
/// weights in bf16.
std::vector<Attempt> rounded_attempts(const Gemm& shape, const Problem& problem,
                                      const VariantContext& context) {
  std::vector<Attempt> attempts = product_attempts(shape, problem, context.as_rounded());
  for (Attempt& attempt : attempts) {
    attempt.prefix = "rounded." + attempt.prefix;
    attempt.plan = [plan = std::move(attempt.plan), context] {
      Plan rounded = plan();
      rounded.before.push_back({0, moved_from(context, rounded.operands[0].values)});
      return rounded;
    };
  }
  return attempts;
}

/// Products by weights that are unpacked when the model is loaded. The library's own calls for
/// packed weights are reference code on most CPUs (docs/limits.md).
std::vector<Attempt> unpacked_gemm_attempts(const Gemm& shape, Problem problem,
                                            const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("packed weights are not unpacked to 8 bits");
  harness::require_rows_to_unpack(shape.m);
  const bool rounds = problem.packed->rounds_data && context.precision() == Precision::fp32;
  problem.packed.reset();
  std::vector<Attempt> attempts;
  if (rounds && VariantContext::multiplies_bf16()) {
    attempts = rounded_attempts(shape, problem, context);
  }
  std::ranges::move(product_attempts(shape, problem, context), std::back_inserter(attempts));
  for (Attempt& attempt : attempts) attempt.prefix = "unpacked." + attempt.prefix;
  return attempts;
}

}  // namespace

void register_gemm(WayTable& table) {
  const auto plain = [](const Gemm&) { return std::vector{Layout::plain}; };
  table.add(family_of<Gemm>(plain, gemm_attempts, Steps::scaled));
  auto packed = family_of<Gemm>(plain, unpacked_gemm_attempts, Steps::appended);
  packed.for_packed = true;
  table.add(std::move(packed));
}

}  // namespace benanza::onednn
