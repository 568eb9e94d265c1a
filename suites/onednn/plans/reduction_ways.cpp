#include "suites/onednn/plans/reduction_ways.h"

#include <algorithm>
#include <stdexcept>

#include "core/library/algorithm.h"
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

/// An image whose window is the image: one channel per row if the reduced axis is innermost,
/// otherwise channels last.
struct Pooled {
  Dims from;
  Dims to;
  /// Row-major floats of the tensor, by the image's axes.
  Memory::desc values;
  Layout layout;
};

Pooled pooled(const Middle& middle) {
  const bool rows = middle.inner == 1;
  const Dims from = rows ? Dims{1, middle.outer, middle.length, 1}
                         : Dims{middle.outer, middle.inner, middle.length, 1};
  return {.from = from,
          .to = {from[0], from[1], 1, 1},
          .values = rows ? floats(from)
                         : floats(from, {middle.length * middle.inner, 1, middle.inner, 1}),
          .layout = rows ? Layout::nchw : Layout::nhwc};
}

Implementation pooling(const Middle& middle, bool mean, const VariantContext& context,
                       const dnnl::primitive_attr& attributes) {
  const Pooled image = pooled(middle);
  const VariantContext images = in_layout(context, image.layout);
  const Dims none{0, 0};
  return api::implementation_of<api::Pooling>(
      context.engine(), attributes, dnnl::prop_kind::forward_inference,
      mean ? dnnl::algorithm::pooling_avg_exclude_padding : dnnl::algorithm::pooling_max,
      images.tensor(image.from), images.tensor(image.to), Dims{1, 1}, Dims{middle.length, 1}, none,
      none, none);
}

/// Of a call whose result is to be turned to its opposite.
dnnl::primitive_attr opposites(const VariantContext& context) {
  dnnl::post_ops opposite;
  api::append_eltwise(opposite, dnnl::algorithm::eltwise_linear, -1, 0);
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(opposite);
  return attributes;
}

Plan by_pooling(const Middle& middle, ReductionKind kind, const Problem& problem,
                const VariantContext& context) {
  const bool is_minimum = kind == ReductionKind::min;
  if (kind != ReductionKind::mean && kind != ReductionKind::max && !is_minimum) {
    throw harness::Unsupported("oneDNN's pooling takes means and extremes");
  }
  const Pooled image = pooled(middle);
  if (is_minimum && !problem.epilogue.steps.empty()) {
    throw harness::Unsupported("steps behind the opposites' maximum");
  }
  PostOps steps = steps_of(problem, in_layout(context, image.layout), image.to);
  if (is_minimum) steps.attributes = opposites(context);
  Plan plan{
      .implementation = pooling(middle, kind == ReductionKind::mean, context, steps.attributes),
      .operands = {{DNNL_ARG_SRC, image.values}},
      .result = {DNNL_ARG_DST, floats(image.to)}};
  if (is_minimum) {
    plan.before = {{0, applied(context, {dnnl::algorithm::eltwise_linear, -1, 0})}};
  }
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

/// `factor`: of the sum.
Plan by_product(const Middle& middle, ReductionKind kind, const Problem& problem,
                const VariantContext& context, float factor = 1) {
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
  if (kind == ReductionKind::mean) factor /= static_cast<float>(middle.length);
  if (factor != 1) {
    sum.epilogue.steps.emplace_back(
        Activation{.input = {}, .kind = ActivationKind::linear, .alpha = factor});
  }
  Plan plan = plan_sum(product, std::move(sum), kind, problem, context);
  const auto ones = plan.operands.begin() + (rows ? 1 : 0);
  plan.fills.push_back({.id = ones->id, .value = 1});
  plan.operands.erase(ones);
  if (squares) plan.before = {{0, applied(context, {dnnl::algorithm::eltwise_square})}};
  if (magnitudes) plan.before = {{0, applied(context, {dnnl::algorithm::eltwise_abs})}};
  return plan;
}

/// A first step: its call, and what it makes of the tensor.
struct FirstStep {
  Implementation call;
  Memory::desc source;
  /// Of a sum that was taken as a mean.
  float factor = 1;
};

FirstStep first_step(const Middle& middle, ReductionKind kind, const VariantContext& context,
                     const dnnl::primitive_attr& attributes) {
  if (middle.inner == 1) {
    const Dims from{middle.outer, middle.length};
    return {.call = api::implementation_of<dnnl::reduction>(
                context.engine(), attributes, algorithm_of(kind), context.plain(from),
                context.plain({middle.outer, 1}), 0.0F, 0.0F),
            .source = floats(from)};
  }
  if (kind == ReductionKind::min) throw harness::Unsupported("minima that are not of rows");
  const bool is_sum = kind == ReductionKind::sum;
  return {
      .call = pooling(middle, is_sum || kind == ReductionKind::mean, context, context.attributes()),
      .source = pooled(middle).values,
      .factor = is_sum ? static_cast<float>(middle.length) : 1};
}

}  // namespace

std::optional<Middle> middle_of(const Dims& input, const Dims& axes) {
  const auto extents = Reduction{ReductionKind::sum, input, axes}.adjacent(false);
  if (!extents) return std::nullopt;
  const auto [outer, length, inner] = *extents;
  return Middle{outer, length, inner};
}

std::optional<TwoMiddles> two_middles_of(const Dims& input, const Dims& axes) {
  // Extents of kept and reduced axes in turn, the first kept.
  Dims groups{1};
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    if (input[axis] == 1) continue;
    const bool reduced = std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end();
    if (reduced == (groups.size() % 2 == 0)) {
      groups.back() *= input[axis];
    } else {
      groups.push_back(input[axis]);
    }
  }
  if (groups.size() % 2 == 0) groups.push_back(1);
  if (groups.size() != 5) return std::nullopt;
  return TwoMiddles{.inner = {groups[0] * groups[1] * groups[2], groups[3], groups[4]},
                    .outer = {groups[0], groups[1], groups[2] * groups[4]}};
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

Plan plan_two_reductions(ReduceBy how, const TwoMiddles& middles, ReductionKind kind,
                         const Problem& problem, const VariantContext& context) {
  using enum ReductionKind;
  if (context.integers()) throw harness::Unsupported("int8 sums are asked for in one way");
  if (kind != sum && kind != mean && kind != max && kind != min) {
    throw harness::Unsupported("norms and products are not taken in two steps");
  }
  // Behind minima, the maxima of the opposites.
  const bool by_opposites = kind == min && how == ReduceBy::pooling;
  const FirstStep first = first_step(middles.inner, kind, context,
                                     by_opposites ? opposites(context) : context.attributes());
  if (is_reference_code(first.call.name())) {
    throw harness::Unsupported("oneDNN has only reference code for the first step");
  }
  if (first.factor != 1 && how != ReduceBy::product) {
    throw harness::Unsupported("a sum by means, but no product behind it");
  }
  Plan plan = how == ReduceBy::product
                  ? by_product(middles.outer, kind, problem, context, first.factor)
                  : plan_reduction(how, middles.outer, kind, problem, context);
  if (by_opposites) plan.before.clear();
  if (!plan.before.empty()) throw harness::Unsupported("two calls before the last");
  plan.operands[0].values = first.source;
  plan.before = {{0, [call = first.call](const Memory::desc&) { return call; }}};
  return plan;
}

}  // namespace benanza::onednn
