#include "suites/onednn/plans/powers.h"

#include "core/base/lookup.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/plans/cell_calls.h"

namespace benanza::onednn {
namespace {

using enum dnnl::algorithm;

/// What follows x times x, or x alone, which is the larger one of x and x.
struct Recipe {
  dnnl::algorithm first;
  void (*then)(Chain& chain, const Memory::desc& x);
};

void invert(Chain& chain) { chain.eltwise(eltwise_pow, 1, -1); }

constexpr std::pair<float, Recipe> recipes[] = {
    {3, {binary_mul, [](Chain& chain, const Memory::desc& x) { chain.binary(binary_mul, x); }}},
    {4, {binary_mul, [](Chain& chain, const Memory::desc&) { chain.eltwise(eltwise_square); }}},
    {8,
     {binary_mul,
      [](Chain& chain, const Memory::desc&) {
        chain.eltwise(eltwise_square).eltwise(eltwise_square);
      }}},
    {1.5,
     {binary_max,
      [](Chain& chain, const Memory::desc& x) {
        chain.eltwise(eltwise_sqrt).binary(binary_mul, x);
      }}},
    {-0.5,
     {binary_max,
      [](Chain& chain, const Memory::desc&) {
        chain.eltwise(eltwise_sqrt);
        invert(chain);
      }}},
    {-2, {binary_mul, [](Chain& chain, const Memory::desc&) { invert(chain); }}}};

}  // namespace

bool is_by_products(const Activation& shape) {
  return shape.kind == ActivationKind::pow && found_in(recipes, shape.alpha).has_value();
}

Plan plan_power(const Activation& shape, const Problem& problem, const VariantContext& context) {
  if (context.integers() || !problem.epilogue.steps.empty()) {
    throw harness::Unsupported("a power by products is of floats, and alone");
  }
  const Memory::desc format = context.tensor(shape.input);
  // With SSE4.1 alone, 2.6 writes beyond tensors of padded channels.
  if (format.get_size() != context.plain(shape.input).get_size()) {
    throw harness::Unsupported("a power by products of padded channels");
  }
  const Recipe recipe = found_in(recipes, shape.alpha).value();
  Chain chain;
  recipe.then(chain, format);
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(chain.operations());
  Plan plan{.implementation = api::implementation_of<dnnl::binary>(
                context.engine(), attributes, recipe.first, format, format, format),
            .operands = {{DNNL_ARG_SRC_0, floats(shape.input)}},
            .result = {DNNL_ARG_DST, floats(shape.input)},
            .again = {{.id = DNNL_ARG_SRC_1, .operand = 0}}};
  for (const int id : chain.tensors()) plan.again.push_back({.id = id, .operand = 0});
  return plan;
}

}  // namespace benanza::onednn
