#include <algorithm>
#include <utility>

#include "suites/harness/int8_scale.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/plans/reduction_ways.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The extents before and after, with neighbouring axes merged if all are reduced or all kept: the
/// library is faster with few axes.
struct ReducedExtents {
  Dims from;
  Dims to;
};

ReducedExtents merged(const Reduction& shape) {
  ReducedExtents extents;
  bool last_reduced = false;
  for (std::size_t axis = 0; axis < shape.input.size(); ++axis) {
    const bool reduced = std::find(shape.axes.begin(), shape.axes.end(),
                                   static_cast<std::int64_t>(axis)) != shape.axes.end();
    const std::int64_t extent = shape.input[axis];
    if (axis > 0 && reduced == last_reduced) {
      extents.from.back() *= extent;
      extents.to.back() *= reduced ? 1 : extent;
    } else {
      extents.from.push_back(extent);
      extents.to.push_back(reduced ? 1 : extent);
    }
    last_reduced = reduced;
  }
  return extents;
}

Plan plan(const Reduction& shape, const Problem& problem, const VariantContext& context) {
  const ReducedExtents extents = merged(shape);
  const float power = shape.kind == ReductionKind::l1 ? 1 : 2;
  const PostOps steps = steps_of(problem, context, extents.to);
  dnnl::primitive_attr attributes = steps.attributes;
  // Reductions support no output scale, but an eltwise post-op.
  if (context.integers() && harness::int8_scale(problem) != 1) {
    dnnl::post_ops scale;
    api::append_eltwise(scale, dnnl::algorithm::eltwise_linear, harness::int8_scale(problem), 0);
    attributes.set_post_ops(scale);
  }
  Plan plan{.implementation = api::implementation_of<dnnl::reduction>(
                context.engine(), attributes, algorithm_of(shape.kind), context.plain(extents.from),
                context.plain(extents.to), power, 0.0F),
            .operands = {{DNNL_ARG_SRC, floats(extents.from)}},
            .result = {DNNL_ARG_DST, floats(extents.to)}};
  add_steps(plan, steps);
  return plan;
}

}  // namespace

/// Sums, means and norms are also available as products, means and extremes as pooling; over two
/// groups of axes, in two steps.
void register_reduction(WayTable& table) {
  table.add(family_of<Reduction>(
      [](const Reduction&) { return std::vector{Layout::plain}; },
      [](const Reduction& shape, const Problem& problem, const VariantContext& context) {
        std::vector<Attempt> attempts{
            {.prefix = "", .plan = [=] { return plan(shape, problem, context); }}};
        if (const auto middle = middle_of(shape.input, shape.axes)) {
          for (const auto& [prefix, how] :
               {std::pair{"pooling.", ReduceBy::pooling}, std::pair{"product.", ReduceBy::product},
                std::pair{"own_product.", ReduceBy::own_product}}) {
            attempts.push_back({.prefix = prefix, .plan = [=] {
                                  return plan_reduction(how, *middle, shape.kind, problem, context);
                                }});
          }
        }
        if (const auto middles = two_middles_of(shape.input, shape.axes)) {
          for (const auto& [prefix, how] : {std::pair{"steps_pooling.", ReduceBy::pooling},
                                            std::pair{"steps_product.", ReduceBy::product},
                                            std::pair{"steps.", ReduceBy::reduction}}) {
            attempts.push_back({.prefix = prefix, .plan = [=] {
                                  return plan_two_reductions(how, *middles, shape.kind, problem,
                                                             context);
                                }});
          }
        }
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
