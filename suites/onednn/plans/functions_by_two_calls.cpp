#include "suites/onednn/plans/functions_by_two_calls.h"

#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/base/lookup.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/plans/cell_calls.h"

namespace benanza::onednn {
namespace {

/// Added to an argument, this leaves all but zero as it is.
constexpr float almost_zero = 1e-30F;
/// Times this, everything but zero is outside [-1, 1].
constexpr float almost_infinite = 3e38F;

enum class Tensor { x, y };

/// y = `function`(x) by one call, `combine`(`left`, y) and a chain of functions by the other. Only
/// the second has post-ops: behind an elementwise function, 2.6 computes them by reference code. No
/// chain has two linear functions: 2.6 uses the first one's parameters for both.
struct TwoCalls {
  Eltwise function;
  dnnl::algorithm combine;
  Tensor left = Tensor::x;
  Chain chain = {};
  std::vector<Again> tensors = {};
};

/// An operand of the chain.
TwoCalls& then(TwoCalls& calls, dnnl::algorithm function, const Memory::desc& format,
               Tensor tensor) {
  calls.chain.binary(function, format);
  calls.tensors.push_back(
      {.id = calls.chain.tensors().back(), .operand = 0, .made = tensor == Tensor::y});
  return calls;
}

/// 2 gelu(y) / y - 1 with y = sqrt(2) x, or next to zero.
TwoCalls erf(const Memory::desc& format) {
  using enum dnnl::algorithm;
  TwoCalls calls{
      {eltwise_linear, std::numbers::sqrt2_v<float>, almost_zero}, binary_max, Tensor::y};
  calls.chain.eltwise(eltwise_gelu_erf);
  then(calls, binary_div, format, Tensor::y).chain.eltwise(eltwise_linear, 2, -1);
  return calls;
}

/// x (1 + y)^-1 with y = |x|, the larger one of x and y.
TwoCalls softsign(const Memory::desc& format) {
  using enum dnnl::algorithm;
  TwoCalls calls{{eltwise_abs}, binary_max};
  calls.chain.eltwise(eltwise_linear, 1, 1).eltwise(eltwise_pow, 1, -1);
  return then(calls, binary_mul, format, Tensor::x);
}

/// y = round(x), plus infinity (x - y) within `from` and `to`.
TwoCalls next_integer(const Memory::desc& format, float from, float to) {
  using enum dnnl::algorithm;
  TwoCalls calls{{eltwise_round}, binary_sub};
  calls.chain.eltwise(eltwise_linear, almost_infinite).eltwise(eltwise_clip, from, to);
  return then(calls, binary_add, format, Tensor::y);
}

/// x + infinity x within -1 and 1.
TwoCalls sign(const Memory::desc&) {
  using enum dnnl::algorithm;
  TwoCalls calls{{eltwise_linear, almost_infinite}, binary_add};
  calls.chain.eltwise(eltwise_clip, -1, 1);
  return calls;
}

constexpr std::pair<ActivationKind, TwoCalls (*)(const Memory::desc&)> functions[] = {
    {ActivationKind::erf, erf},
    {ActivationKind::softsign, softsign},
    {ActivationKind::floor, [](const Memory::desc& format) { return next_integer(format, -1, 0); }},
    {ActivationKind::ceil, [](const Memory::desc& format) { return next_integer(format, 0, 1); }},
    {ActivationKind::sign, sign}};

}  // namespace

bool is_by_two_calls(ActivationKind kind) { return found_in(functions, kind).has_value(); }

Plan plan_by_two_calls(const Activation& shape, const Problem& problem,
                       const VariantContext& context) {
  const std::string function(shape.op());
  if (context.integers() || !problem.epilogue.steps.empty()) {
    throw harness::Unsupported("oneDNN has no " + function + ", only calls that compute it");
  }
  const Memory::desc format = context.tensor(shape.input);
  TwoCalls calls = found_in(functions, shape.kind).value()(format);
  if (calls.function.algorithm == dnnl::algorithm::eltwise_round &&
      context.precision() != Precision::fp32) {
    throw harness::Unsupported("oneDNN rounds fp32 only, which " + function + " needs");
  }
  // With SSE4.1 alone, 2.6 writes beyond tensors of padded channels.
  if (format.get_size() != context.plain(shape.input).get_size()) {
    throw harness::Unsupported("oneDNN has no " + function + " of padded channels");
  }
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(calls.chain.operations());
  calls.tensors.push_back({.id = DNNL_ARG_SRC_0, .operand = 0, .made = calls.left == Tensor::y});
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), attributes, calls.combine, format, format, format),
          .operands = {{DNNL_ARG_SRC_1, floats(shape.input)}},
          .result = {DNNL_ARG_DST, floats(shape.input)},
          .again = calls.tensors,
          .before = {{0, applied(context, calls.function)}}};
}

}  // namespace benanza::onednn
