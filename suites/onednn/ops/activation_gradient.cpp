
#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_terms.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// The library's algorithm for a derivative computed from the result. For relu and leaky_relu the
/// result has the sign of the input that the library checks.
dnnl::algorithm of_result(ActivationKind kind, dnnl::algorithm function) {
  using enum ActivationKind;
  switch (kind) {
    case clip:
      return dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd;
    case elu:
      return dnnl::algorithm::eltwise_elu_use_dst_for_bwd;
    case sigmoid:
      return dnnl::algorithm::eltwise_logistic_use_dst_for_bwd;
    case tanh:
      return dnnl::algorithm::eltwise_tanh_use_dst_for_bwd;
    case exp:
      return dnnl::algorithm::eltwise_exp_use_dst_for_bwd;
    case sqrt:
      return dnnl::algorithm::eltwise_sqrt_use_dst_for_bwd;
    default:
      return function;
  }
}

Plan plan(const ActivationGradient& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("oneDNN has no int8 gradients");
  const Activation& function = shape.forward;
  const auto [plain, alpha, beta] = eltwise(function);
  const dnnl::algorithm algorithm = shape.of_result() ? of_result(function.kind, plain) : plain;
  const bool reads_result = algorithm != plain;
  const Memory::desc format = context.tensor(function.input);
  const auto forward = api::forward_of<dnnl::eltwise_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, algorithm, format,
      format, alpha, beta);
  return {.implementation = api::gradient_of<dnnl::eltwise_backward>(
              context.engine(), context.attributes(), forward, algorithm, format, format, format,
              alpha, beta),
          .operands = {{DNNL_ARG_DIFF_DST, floats(function.input)},
                       {reads_result ? DNNL_ARG_DST : DNNL_ARG_SRC, floats(function.input)}},
          .result = {DNNL_ARG_DIFF_SRC, floats(function.input)}};
}

}  // namespace

void register_activation_gradient(WayTable& table) {
  table.add(family_of_one<ActivationGradient>(
      [](const ActivationGradient& shape) { return channel_layouts(shape.forward.input); },
      [](const ActivationGradient& shape, const Problem&, const VariantContext& context) {
        return plan(shape, context);
      }));
}

}  // namespace benanza::onednn
