#include "suites/onednn/post_ops.h"

#include <string>

#include "core/problem/name.h"
#include "suites/harness/primitive.h"

namespace benanza::onednn {
namespace {

void append(dnnl::post_ops& operations, const Activation& function) {
  constexpr float scale = 1;
  const auto with = [&](dnnl::algorithm algorithm) {
    operations.append_eltwise(scale, algorithm, function.alpha, function.beta);
  };
  switch (function.kind) {
    case ActivationKind::relu:
    case ActivationKind::leaky_relu:
      return with(dnnl::algorithm::eltwise_relu);
    case ActivationKind::clip:
      return with(dnnl::algorithm::eltwise_clip);
    case ActivationKind::elu:
      return with(dnnl::algorithm::eltwise_elu);
    case ActivationKind::sigmoid:
      return with(dnnl::algorithm::eltwise_logistic);
    case ActivationKind::tanh:
      return with(dnnl::algorithm::eltwise_tanh);
    case ActivationKind::gelu:
      return with(dnnl::algorithm::eltwise_gelu_erf);
    case ActivationKind::gelu_tanh:
      return with(dnnl::algorithm::eltwise_gelu_tanh);
    case ActivationKind::hard_swish:
      return with(dnnl::algorithm::eltwise_hardswish);
    case ActivationKind::swish:
      return with(dnnl::algorithm::eltwise_swish);
    case ActivationKind::mish:
      return with(dnnl::algorithm::eltwise_mish);
    default:
      throw harness::Unsupported("oneDNN has no " + std::string(function.op()) +
                                 " after a product");
  }
}

std::function<std::vector<float>(std::span<const float>)> scaled_by(float factor) {
  return [factor](std::span<const float> values) {
    std::vector<float> scaled(values.begin(), values.end());
    for (float& value : scaled) value *= factor;
    return scaled;
  };
}

bool scales_with_its_argument(ActivationKind kind) {
  return kind == ActivationKind::relu || kind == ActivationKind::leaky_relu;
}

}  // namespace

PostOps post_ops(const Problem& problem, const VariantContext& context, ResidualFrom from,
                 const Memory::desc& residual, const Memory::desc& residual_values) {
  const float scale = context.integers() ? harness::int8_scale(problem) : 1;
  PostOps post_ops{.attributes = context.attributes(scale), .operands = {}};
  dnnl::post_ops operations;
  if (problem.epilogue.residual) {
    // Products are scaled before the residual is added: it is stored scaled.
    Argument argument{.id = DNNL_ARG_DST, .values = residual_values};
    if (scale != 1) argument.rearrange = scaled_by(scale);
    if (from == ResidualFrom::in_place) {
      operations.append_sum(1);
      argument.in_result = true;
    } else {
      argument.id = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len()) | DNNL_ARG_SRC_1;
      operations.append_binary(dnnl::algorithm::binary_add, residual);
    }
    post_ops.operands.push_back(argument);
  }
  if (const auto& function = problem.epilogue.activation) {
    if (context.integers() && !scales_with_its_argument(function->kind)) {
      throw harness::Unsupported("int8 " + std::string(function->op()) +
                                 " after a product needs a result scale of its own");
    }
    append(operations, *function);
  }
  if (operations.len() > 0) post_ops.attributes.set_post_ops(operations);
  return post_ops;
}

std::vector<Attempt> with_epilogue(const Problem& problem, const std::string& prefix,
                                   const std::function<Plan(ResidualFrom)>& plan) {
  std::vector<Attempt> attempts{
      {.prefix = prefix, .plan = [=] { return plan(ResidualFrom::beside); }}};
  if (problem.epilogue.residual) {
    attempts.push_back({.prefix = std::string(in_place_prefix) + prefix,
                        .plan = [=] { return plan(ResidualFrom::in_place); }});
  }
  return attempts;
}

}  // namespace benanza::onednn
