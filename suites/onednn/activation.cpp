#include <stdexcept>
#include <string>

#include "harness/primitive.h"
#include "onednn/operators.h"

namespace benanza::onednn {
namespace {

dnnl::algorithm algorithm(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
      return dnnl::algorithm::eltwise_relu;
    case ActivationKind::clip:
      return dnnl::algorithm::eltwise_clip;
    case ActivationKind::elu:
      return dnnl::algorithm::eltwise_elu;
    case ActivationKind::sigmoid:
      return dnnl::algorithm::eltwise_logistic;
    case ActivationKind::tanh:
      return dnnl::algorithm::eltwise_tanh;
    case ActivationKind::linear:
      return dnnl::algorithm::eltwise_linear;
  }
  throw std::logic_error("unknown activation");
}

/// A result within +-1 is lost in whole numbers.
bool needs_fractions(ActivationKind kind) {
  return kind == ActivationKind::elu || kind == ActivationKind::sigmoid ||
         kind == ActivationKind::tanh;
}

}  // namespace

Solver solver(const Activation& shape, const Problem& problem) {
  return solver_of_one(
      channel_layouts(shape.input), [shape, name = op(problem)](const Setting& setting) {
        using Forward = dnnl::eltwise_forward;
        if (setting.integers() && needs_fractions(shape.kind)) {
          throw Unsupported("int8 " + std::string(name) + " needs a result scale of its own");
        }
        const Forward::desc descriptor(dnnl::prop_kind::forward_inference, algorithm(shape.kind),
                                       setting.tensor(shape.input), shape.alpha, shape.beta);
        return Plan{.offer = offer<Forward>(descriptor, setting.attributes(), setting.engine()),
                    .operands = {{DNNL_ARG_SRC, floats(shape.input)}},
                    .result = {DNNL_ARG_DST, floats(shape.input)}};
      });
}

}  // namespace benanza::onednn
