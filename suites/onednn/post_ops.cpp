#include "suites/onednn/post_ops.h"

#include <string>

#include "core/problem/name.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/eltwise.h"

namespace benanza::onednn {
namespace {

/// The functions that the library has behind a product, too.
bool follows_products(ActivationKind kind) {
  using enum ActivationKind;
  switch (kind) {
    case relu:
    case leaky_relu:
    case clip:
    case elu:
    case sigmoid:
    case tanh:
    case gelu:
    case gelu_tanh:
    case hard_swish:
    case swish:
    case mish:
      return true;
    default:
      return false;
  }
}

void append(dnnl::post_ops& operations, const Activation& activation) {
  if (!follows_products(activation.kind)) {
    throw harness::Unsupported("oneDNN has no " + std::string(activation.op()) +
                               " after a product");
  }
  const Eltwise function = eltwise(activation);
  api::append_eltwise(operations, function.algorithm, function.alpha, function.beta);
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
  PostOps post_ops{.attributes = context.attributes()};
  if (scale != 1) post_ops.scaling = api::scale_product(post_ops.attributes, scale);
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

void add_epilogue(Plan& plan, const Problem& problem, const Memory::desc& bias,
                  const PostOps& post_ops) {
  if (problem.epilogue.bias) {
    Argument argument{.id = DNNL_ARG_BIAS, .values = bias};
    const float factor = post_ops.scaling.bias_factor;
    if (factor != 1) argument.rearrange = scaled_by(factor);
    plan.operands.push_back(argument);
  }
  plan.operands.insert(plan.operands.end(), post_ops.operands.begin(), post_ops.operands.end());
  plan.constants = post_ops.scaling.constants;
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
