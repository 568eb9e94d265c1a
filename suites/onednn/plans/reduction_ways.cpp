#include "suites/onednn/plans/reduction_ways.h"

#include <stdexcept>

#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/plans/product.h"

namespace benanza::onednn {
namespace {

VariantContext in_layout(const VariantContext& context, Layout layout) {
  return {context.engine(), context.precision(), layout};
}

/// The steps of `problem` for a result of other extents with the same elements.
std::vector<Step> steps_behind(const Problem& problem, const Dims& result) {
  std::vector<Step> steps = problem.epilogue.steps;
  for (Step& step : steps) {
    auto* const combine = std::get_if<Combine>(&step);
    if (combine == nullptr) continue;
    const auto dims = refitted(combine->y, output(problem), result);
    if (!dims) throw harness::Unsupported("no extents of the product's result say the step's");
    combine->y = *dims;
  }
  return steps;
}

Plan by_reduction(const Middle& middle, ReductionKind kind, const Problem& problem,
                  const VariantContext& context) {
  Dims from{middle.outer, middle.length};
  Dims to{middle.outer, 1};
  // The library is faster if the last axis is the reduced one.
  if (middle.inner > 1) {
    from.push_back(middle.inner);
    to.push_back(middle.inner);
  }
  const PostOps steps = steps_of(problem, in_layout(context, Layout::plain), to);
  const float power = kind == ReductionKind::l1 ? 1 : 2;
  Plan plan{.implementation = api::implementation_of<dnnl::reduction>(
                context.engine(), steps.attributes, algorithm_of(kind), context.plain(from),
                context.plain(to), power, 0.0F),
            .operands = {{DNNL_ARG_SRC, floats(from)}},
            .result = {DNNL_ARG_DST, floats(to)}};
  add_steps(plan, steps);
  return plan;
}

/// A window of the image's size: one channel per row if the reduced axis is innermost, otherwise
/// channels last.
Plan by_pooling(const Middle& middle, ReductionKind kind, const Problem& problem,
                const VariantContext& context) {
  if (kind != ReductionKind::mean && kind != ReductionKind::max) {
    throw harness::Unsupported("oneDNN's pooling takes means and maxima");
  }
  const bool rows = middle.inner == 1;
  const VariantContext images = in_layout(context, rows ? Layout::nchw : Layout::nhwc);
  const Dims from = rows ? Dims{1, middle.outer, middle.length, 1}
                         : Dims{middle.outer, middle.inner, middle.length, 1};
  const Dims to{from[0], from[1], 1, 1};
  const Dims none{0, 0};
  const PostOps steps = steps_of(problem, images, to);
  Plan plan{.implementation = api::implementation_of<api::Pooling>(
                context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                kind == ReductionKind::max ? dnnl::algorithm::pooling_max
                                           : dnnl::algorithm::pooling_avg_exclude_padding,
                images.tensor(from), images.tensor(to), Dims{1, 1}, Dims{middle.length, 1}, none,
                none, none),
            .operands = {{DNNL_ARG_SRC,
                          rows ? floats(from)
                               : floats(from, {middle.length * middle.inner, 1, middle.inner, 1})}},
            .result = {DNNL_ARG_DST, floats(to)}};
  add_steps(plan, steps);
  return plan;
}

bool is_of_squares(ReductionKind kind) {
  return kind == ReductionKind::l2 || kind == ReductionKind::sum_square;
}

/// Plans the product `sum`, followed by a norm's root and what follows the reduction.
Plan plan_sum(const Gemm& product, Problem sum, ReductionKind kind, const Problem& problem,
              const VariantContext& context) {
  if (kind == ReductionKind::l2) {
    sum.epilogue.steps.emplace_back(Activation{.input = {}, .kind = ActivationKind::sqrt});
  }
  for (Step& step : steps_behind(problem, product.output())) {
    sum.epilogue.steps.push_back(std::move(step));
  }
  return plan_matmul(product, sum, in_layout(context, Layout::plain));
}

/// Every row times itself.
Plan by_own_product(const Middle& middle, ReductionKind kind, const Problem& problem,
                    const VariantContext& context) {
  if (middle.inner != 1 || !is_of_squares(kind)) {
    throw harness::Unsupported("a row times itself is a sum of squares");
  }
  Gemm product{.m = 1, .n = 1, .k = middle.length, .batch_a = {}, .batch_b = {}};
  if (middle.outer > 1) product.batch_a = product.batch_b = {middle.outer};
  Problem sum{.shape = product, .epilogue = {}};
  Plan plan = plan_sum(product, std::move(sum), kind, problem, context);
  plan.again.push_back({.id = plan.operands[1].id, .operand = 0});
  plan.operands.erase(plan.operands.begin() + 1);
  return plan;
}

Plan by_product(const Middle& middle, ReductionKind kind, const Problem& problem,
                const VariantContext& context) {
  const bool rows = middle.inner == 1;
  const bool squares = is_of_squares(kind);
  const bool magnitudes = kind == ReductionKind::l1;
  if (kind != ReductionKind::mean && kind != ReductionKind::sum && !squares && !magnitudes) {
    throw harness::Unsupported("products take sums, means and norms");
  }
  Gemm product{.m = rows ? middle.outer : 1,
               .n = middle.inner,
               .k = middle.length,
               .batch_a = {},
               .batch_b = {}};
  if (!rows && middle.outer > 1) {
    product.batch_a = {1};
    product.batch_b = {middle.outer};
  }
  Problem sum{.shape = product, .epilogue = {}};
  if (kind == ReductionKind::mean) {
    const float share = 1 / static_cast<float>(middle.length);
    sum.epilogue.steps.emplace_back(
        Activation{.input = {}, .kind = ActivationKind::linear, .alpha = share});
  }
  Plan plan = plan_sum(product, std::move(sum), kind, problem, context);
  const auto ones = plan.operands.begin() + (rows ? 1 : 0);
  plan.fills.push_back({.id = ones->id, .value = 1});
  plan.operands.erase(ones);
  if (squares) plan.before = {{0, applied(context, {dnnl::algorithm::eltwise_square})}};
  if (magnitudes) plan.before = {{0, applied(context, {dnnl::algorithm::eltwise_abs})}};
  return plan;
}

}  // namespace

std::optional<Middle> middle_of(const Dims& input, const Dims& axes) {
  const auto extents = Reduction{ReductionKind::sum, input, axes}.adjacent(false);
  if (!extents) return std::nullopt;
  const auto [outer, length, inner] = *extents;
  return Middle{outer, length, inner};
}

dnnl::algorithm algorithm_of(ReductionKind kind) {
  switch (kind) {
    case ReductionKind::mean:
      return dnnl::algorithm::reduction_mean;
    case ReductionKind::sum:
      return dnnl::algorithm::reduction_sum;
    case ReductionKind::max:
      return dnnl::algorithm::reduction_max;
    case ReductionKind::min:
      return dnnl::algorithm::reduction_min;
    case ReductionKind::product:
      return dnnl::algorithm::reduction_mul;
    case ReductionKind::l1:
    case ReductionKind::l2:
      return dnnl::algorithm::reduction_norm_lp_sum;
    case ReductionKind::sum_square:
      return dnnl::algorithm::reduction_norm_lp_power_p_sum;
  }
  throw std::logic_error("unknown reduction");
}

Plan plan_reduction(ReduceBy how, const Middle& middle, ReductionKind kind, const Problem& problem,
                    const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("int8 sums are asked for in one way");
  switch (how) {
    case ReduceBy::reduction:
      return by_reduction(middle, kind, problem, context);
    case ReduceBy::pooling:
      return by_pooling(middle, kind, problem, context);
    case ReduceBy::product:
      return by_product(middle, kind, problem, context);
    case ReduceBy::own_product:
      return by_own_product(middle, kind, problem, context);
  }
  throw std::logic_error("unknown way");
}

}  // namespace benanza::onednn
