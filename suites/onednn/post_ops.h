#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// Where a call finds its residual. beside: in memory of its own. in_place: it adds to what its
/// result holds, which saves that memory's traffic but takes a residual that nobody needs any more.
enum class ResidualFrom { beside, in_place };

/// What follows a call in the library's terms: post-operations, of a product in the order residual,
/// activation, steps.
/// The bias is an argument of the product itself.
struct PostOps {
  dnnl::primitive_attr attributes;
  /// The residual, where there is one, and the tensors of the steps.
  std::vector<Argument> operands = {};
  api::Scaling scaling = {};
};

/// `residual`: how the residual lies, as the library's result does or as the library chooses; its
/// values lie as `residual_values` says. Throws Unsupported for a function that the library does
/// not have, and at int8 for one that does not scale with its argument.
PostOps post_ops(const Problem& problem, const VariantContext& context, ResidualFrom from,
                 const Memory::desc& residual, const Memory::desc& residual_values);

/// The steps of a problem that is no product. `result`: the extents of the result as the library
/// sees it. Throws Unsupported for a step that the library has not, or not in these extents.
PostOps steps_of(const Problem& problem, const VariantContext& context, const Dims& result);
void add_steps(Plan& plan, const PostOps& steps);

/// The arguments that `post_ops` and a bias, which lies as `bias` says, add to a product's plan.
void add_epilogue(Plan& plan, const Problem& problem, const Memory::desc& bias,
                  const PostOps& post_ops);

/// The ways of asking for a product: once, and, where there is a residual, once for each place it
/// can be in ("sum." in the names says in place).
std::vector<Attempt> with_epilogue(const Problem& problem, const std::string& prefix,
                                   const std::function<Plan(ResidualFrom)>& plan);

}  // namespace benanza::onednn
