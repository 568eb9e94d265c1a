#include "suites/onednn/plans/post_ops.h"

#include <string>
#include <utility>

#include "core/base/lookup.h"
#include "core/problem/name.h"
#include "suites/harness/int8_scale.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_terms.h"

namespace benanza::onednn {
namespace {

void append(dnnl::post_ops& operations, const Activation& activation) {
  const Eltwise function = eltwise(activation);
  api::append_eltwise(operations, function.algorithm, function.alpha, function.beta);
}

constexpr std::pair<CombineKind, dnnl::algorithm> step_algorithms[] = {
    {CombineKind::add, dnnl::algorithm::binary_add},
    {CombineKind::sub, dnnl::algorithm::binary_sub},
    {CombineKind::mul, dnnl::algorithm::binary_mul},
    {CombineKind::div, dnnl::algorithm::binary_div},
    {CombineKind::max, dnnl::algorithm::binary_max},
    {CombineKind::min, dnnl::algorithm::binary_min}};

/// The format of a broadcast tensor. Never blocked, because products do not read a block of
/// channels from a single channel.
Memory::desc broadcast_format(const VariantContext& context, const Dims& dims) {
  return context.layout() == Layout::nhwc ? context.tensor(dims) : context.plain(dims);
}

std::function<std::vector<float>(std::span<const float>)> scaled_by(float factor) {
  return [factor](std::span<const float> values) {
    std::vector<float> scaled(values.begin(), values.end());
    for (float& value : scaled) value *= factor;
    return scaled;
  };
}

/// `equal` is the format of a tensor of the result's extents. What is added to a result that has
/// been scaled is stored scaled.
void append_steps(PostOps& post_ops, dnnl::post_ops& operations, const Problem& problem,
                  const VariantContext& context, const Dims& result, const Memory::desc& equal,
                  float scale = 1) {
  const Dims from = output(problem);
  for (const Step& step : problem.epilogue.steps) {
    if (const auto* function = std::get_if<Activation>(&step)) {
      append(operations, *function);
      continue;
    }
    Combine combine = std::get<Combine>(step);
    const bool is_term = combine.kind == CombineKind::add || combine.kind == CombineKind::sub;
    const auto dims = refitted(combine.y, from, result);
    if (!dims) {
      throw harness::Unsupported("oneDNN sees the result as " + join(result, 'x') +
                                 ", to which no extents broadcast as " + join(combine.y, 'x') +
                                 " does");
    }
    // y - x is -x + y, and y / x is 1 / x times y.
    if (combine.reversed && combine.kind == CombineKind::sub) {
      api::append_eltwise(operations, dnnl::algorithm::eltwise_linear, -1, 0);
      combine.kind = CombineKind::add;
    } else if (combine.reversed) {
      api::append_eltwise(operations, dnnl::algorithm::eltwise_pow, 1, -1);
      combine.kind = CombineKind::mul;
    }
    Argument argument{.id = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len()) | DNNL_ARG_SRC_1,
                      .values = floats(*dims)};
    if (is_term && scale != 1) argument.rearrange = scaled_by(scale);
    post_ops.operands.push_back(argument);
    operations.append_binary(found_in(step_algorithms, combine.kind).value(),
                             *dims == result ? equal : broadcast_format(context, *dims));
  }
}

bool scales_with_its_argument(ActivationKind kind) {
  return kind == ActivationKind::relu || kind == ActivationKind::leaky_relu;
}

}  // namespace

PostOps post_ops(const Problem& problem, const VariantContext& context, ResidualFrom from,
                 const Memory::desc& residual, const Memory::desc& residual_values) {
  const bool int8 = context.precision() == Precision::int8;
  const float scale = int8 ? harness::int8_scale(problem) : 1;
  PostOps post_ops{.attributes = context.attributes()};
  dnnl::post_ops operations;
  if (scale != 1 && context.dequantized()) {
    api::append_eltwise(operations, dnnl::algorithm::eltwise_linear, scale, 0);
  } else if (scale != 1) {
    post_ops.scaling = api::scale_product(post_ops.attributes, scale);
  }
  if (problem.epilogue.residual) {
    // Products are scaled before the residual is added, so the residual is stored scaled.
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
    if (int8 && !scales_with_its_argument(function->kind)) {
      throw harness::Unsupported("int8 " + std::string(function->op()) +
                                 " after a product needs a result scale of its own");
    }
    append(operations, *function);
  }
  append_steps(post_ops, operations, problem, context, api::dims(residual_values), residual, scale);
  if (operations.len() > 0) post_ops.attributes.set_post_ops(operations);
  return post_ops;
}

PostOps steps_of(const Problem& problem, const VariantContext& context, const Dims& result) {
  PostOps post_ops{.attributes = context.attributes()};
  if (problem.epilogue.steps.empty()) return post_ops;
  dnnl::post_ops operations;
  append_steps(post_ops, operations, problem, context, result, context.tensor(result));
  post_ops.attributes.set_post_ops(operations);
  return post_ops;
}

void add_steps(Plan& plan, const PostOps& steps) {
  plan.operands.insert(plan.operands.end(), steps.operands.begin(), steps.operands.end());
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
                        .plan = [=] { return plan(ResidualFrom::in_place); },
                        .traits = {.in_place = true}});
  }
  return attempts;
}

}  // namespace benanza::onednn
