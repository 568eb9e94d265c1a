#include <string>

#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {
namespace {

/// The library's function: its algorithm and the two numbers it takes.
struct Function {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

Function function(const Activation& shape) {
  using enum dnnl::algorithm;
  switch (shape.kind) {
    case ActivationKind::relu:
      return {eltwise_relu};
    case ActivationKind::leaky_relu:
      return {eltwise_relu, shape.alpha};
    case ActivationKind::clip:
      return {eltwise_clip, shape.alpha, shape.beta};
    case ActivationKind::elu:
      return {eltwise_elu, shape.alpha};
    case ActivationKind::sigmoid:
      return {eltwise_logistic};
    case ActivationKind::tanh:
      return {eltwise_tanh};
    case ActivationKind::linear:
      return {eltwise_linear, shape.alpha, shape.beta};
    case ActivationKind::gelu:
      return {eltwise_gelu_erf};
    case ActivationKind::gelu_tanh:
      return {eltwise_gelu_tanh};
    case ActivationKind::hard_swish:
      return {eltwise_hardswish};
    case ActivationKind::softplus:
      return {eltwise_soft_relu};
    case ActivationKind::mish:
      return {eltwise_mish};
    case ActivationKind::swish:
      return {eltwise_swish, shape.alpha};
    case ActivationKind::exp:
      return {eltwise_exp};
    case ActivationKind::log:
      return {eltwise_log};
    case ActivationKind::sqrt:
      return {eltwise_sqrt};
    case ActivationKind::pow:
      return {eltwise_pow, 1, shape.alpha};
    case ActivationKind::abs:
      return {eltwise_abs};
    case ActivationKind::round:
      return {eltwise_round};
    case ActivationKind::erf:
    case ActivationKind::softsign:
    case ActivationKind::floor:
    case ActivationKind::ceil:
    case ActivationKind::sign:
    case ActivationKind::sin:
    case ActivationKind::cos:
      break;
  }
  throw harness::Unsupported("oneDNN has no " + std::string(shape.op()));
}

/// Whole numbers become whole numbers; every other result is lost in 8 bits.
bool keeps_integers(ActivationKind kind) {
  using enum ActivationKind;
  return kind == relu || kind == leaky_relu || kind == clip || kind == linear || kind == abs ||
         kind == round;
}

Plan plan(const Activation& shape, const Function& function, const VariantContext& context) {
  using Forward = dnnl::eltwise_forward;
  if (context.integers() && !keeps_integers(shape.kind)) {
    throw harness::Unsupported("int8 " + std::string(shape.op()) +
                               " needs a result scale of its own");
  }
  const Forward::desc descriptor(dnnl::prop_kind::forward_inference, function.algorithm,
                                 context.tensor(shape.input), function.alpha, function.beta);
  return {.implementation =
              implementation_of<Forward>(descriptor, context.attributes(), context.engine()),
          .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
          .result = {DNNL_ARG_DST, floats(shape.input)}};
}

}  // namespace

/// A square has a function of its own beside the power.
void register_activation(SolverTable& table) {
  table.add(solver_of_ways<Activation>(
      [](const Activation& shape) { return channel_layouts(shape.input); },
      [](const Activation& shape, const Problem&, const VariantContext& context) {
        const Function wanted = function(shape);
        std::vector<Attempt> attempts{
            {.prefix = "", .plan = [=] { return plan(shape, wanted, context); }}};
        if (shape.kind == ActivationKind::pow && shape.alpha == 2) {
          const Function square{dnnl::algorithm::eltwise_square};
          attempts.insert(attempts.begin(), {.prefix = "square.",
                                             .plan = [=] { return plan(shape, square, context); }});
        }
        return attempts;
      }));
}

}  // namespace benanza::onednn
