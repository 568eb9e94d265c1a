#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// Where a call reads its residual. beside: from separate memory. in_place: the call adds to its
/// result's contents, which saves memory traffic but requires a residual that is not needed any
/// more.
enum class ResidualFrom { beside, in_place };

/// An epilogue as post-ops, for a product in the order residual, activation, steps. The bias is an
/// argument of the product itself.
struct PostOps {
  dnnl::primitive_attr attributes;
  /// The residual, if there is one, and the tensors of the steps.
  std::vector<Argument> operands = {};
  api::Scaling scaling = {};
};

/// `residual` is the residual's format, that of the library's result or chosen by the library; its
/// values are described by `residual_values`. Throws Unsupported for a function that the library
/// does not have, and at int8 for one that does not scale with its argument.
PostOps post_ops(const Problem& problem, const VariantContext& context, ResidualFrom from,
                 const Memory::desc& residual, const Memory::desc& residual_values);

/// The steps of a problem that is not a product. `result` is the extents of the result as the
/// library sees it. Throws Unsupported for a step that the library does not support, or not with
/// these extents.
PostOps steps_of(const Problem& problem, const VariantContext& context, const Dims& result);
void add_steps(Plan& plan, const PostOps& steps);

/// Adds the arguments of `post_ops` and of a bias, described by `bias`, to a product's plan.
void add_epilogue(Plan& plan, const Problem& problem, const Memory::desc& bias,
                  const PostOps& post_ops);

/// Ways to compute a product: one or, with a residual, one for each place of the residual (with
/// "sum." in the name for in place).
std::vector<Attempt> with_epilogue(const Problem& problem, const std::string& prefix,
                                   const std::function<Plan(ResidualFrom)>& plan);

}  // namespace benanza::onednn
