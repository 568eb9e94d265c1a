#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/plans/functions_by_two_calls.h"
#include "suites/onednn/plans/post_ops.h"
#include "suites/onednn/plans/powers.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// Whether integers map to integers; all other results are lost in 8 bits.
bool keeps_integers(ActivationKind kind) {
  using enum ActivationKind;
  return kind == relu || kind == leaky_relu || kind == clip || kind == linear || kind == abs ||
         kind == round;
}

Plan plan(const Activation& shape, const Problem& problem, const Eltwise& function,
          const VariantContext& context) {
  if (context.integers() && !keeps_integers(shape.kind)) {
    throw harness::Unsupported("int8 " + std::string(shape.op()) +
                               " needs a result scale of its own");
  }
  const Memory::desc format = context.tensor(shape.input);
  const PostOps steps = steps_of(problem, context, shape.input);
  Plan plan{.implementation = api::implementation_of<dnnl::eltwise_forward>(
                context.engine(), steps.attributes, dnnl::prop_kind::forward_inference,
                function.algorithm, format, format, function.alpha, function.beta),
            .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
            .result = {DNNL_ARG_DST, floats(shape.input)}};
  add_steps(plan, steps);
  return plan;
}

/// Whether this is alpha x + y with y of the same extents, as in optimizers.
bool is_weighted_sum(const Activation& shape, const std::vector<Step>& steps) {
  if (shape.kind != ActivationKind::linear || shape.beta != 0 || steps.size() != 1) return false;
  const auto* add = std::get_if<Combine>(&steps[0]);
  return add != nullptr && add->kind == CombineKind::add && add->y == shape.input;
}

Plan plan_sum(const Activation& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("int8 sums need a result scale of their own");
  const Memory::desc format = context.tensor(shape.input);
  const Memory::desc values = floats(shape.input);
  return {.implementation = Implementation(api::sum(context.engine(), format, {shape.alpha, 1},
                                                    {format, format}, context.attributes())),
          .operands = {{DNNL_ARG_MULTIPLE_SRC, values}, {DNNL_ARG_MULTIPLE_SRC + 1, values}},
          .result = {DNNL_ARG_DST, values}};
}

}  // namespace

/// A square has its own function in addition to the power, other powers have products.
void register_activation(WayTable& table) {
  table.add(family_of<Activation>(
      [](const Activation& shape) { return channel_layouts(shape.input); },
      [](const Activation& shape, const Problem& problem, const VariantContext& context) {
        if (is_by_two_calls(shape.kind)) {
          return std::vector<Attempt>{{.prefix = "by_calls.", .plan = [=] {
                                         return plan_by_two_calls(shape, problem, context);
                                       }}};
        }
        const Eltwise wanted = eltwise(shape);
        std::vector<Attempt> attempts{
            {.prefix = "", .plan = [=] { return plan(shape, problem, wanted, context); }}};
        if (shape.kind == ActivationKind::pow && shape.alpha == 2) {
          const Eltwise square{dnnl::algorithm::eltwise_square};
          attempts.insert(attempts.begin(), {.prefix = "square.", .plan = [=] {
                                               return plan(shape, problem, square, context);
                                             }});
        }
        if (is_by_products(shape)) {
          attempts.insert(attempts.begin(), {.prefix = "products.", .plan = [=] {
                                               return plan_power(shape, problem, context);
                                             }});
        }
        if (is_weighted_sum(shape, problem.epilogue.steps)) {
          attempts.insert(attempts.begin(), {.prefix = "weighted_sum.",
                                             .plan = [=] { return plan_sum(shape, context); }});
        }
        return attempts;
      },
      Steps::appended));
}

}  // namespace benanza::onednn
