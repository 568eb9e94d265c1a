#include "suites/onednn/plans/functions_by_two_calls.h"

#include <array>
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

using enum dnnl::algorithm;

/// Added to an argument, this leaves all but zero as it is.
constexpr float almost_zero = 1e-30F;
/// Times this, everything but zero is outside [-1, 1].
constexpr float almost_infinite = 3e38F;

enum class Tensor { x, y };

/// y of x by one call, `combine`(`left`, y) and a chain of functions by the other. Only binary
/// calls have post-ops: behind an elementwise function, 2.6 computes them by reference code. No
/// chain has two linear functions: 2.6 uses the first one's parameters for both.
struct TwoCalls {
  Before first;
  dnnl::algorithm combine;
  Tensor left = Tensor::x;
  Chain chain = {};
  std::vector<Again> tensors = {};
  std::vector<Fill> constants = {};
};

/// How x and the result are stored.
struct Of {
  const VariantContext& context;
  Memory::desc format;

  TwoCalls first(const Eltwise& function, dnnl::algorithm combine, Tensor left = Tensor::x) const {
    return {{0, applied(context, function)}, combine, left};
  }
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
TwoCalls erf(const Of& of) {
  TwoCalls calls =
      of.first({eltwise_linear, std::numbers::sqrt2_v<float>, almost_zero}, binary_max, Tensor::y);
  calls.chain.eltwise(eltwise_gelu_erf);
  then(calls, binary_div, of.format, Tensor::y).chain.eltwise(eltwise_linear, 2, -1);
  return calls;
}

/// x (1 + y)^-1 with y = |x|, the larger one of x and y.
TwoCalls softsign(const Of& of) {
  TwoCalls calls = of.first({eltwise_abs}, binary_max);
  calls.chain.eltwise(eltwise_linear, 1, 1).eltwise(eltwise_pow, 1, -1);
  return then(calls, binary_mul, of.format, Tensor::x);
}

void require_rounding(const VariantContext& context) {
  if (context.precision() == Precision::fp32) return;
  throw harness::Unsupported("oneDNN rounds fp32 only, which floor, ceil, sin and cos need");
}

/// y = round(x), plus infinity (x - y) within `from` and `to`.
TwoCalls next_integer(const Of& of, float from, float to) {
  require_rounding(of.context);
  TwoCalls calls = of.first({eltwise_round}, binary_sub);
  calls.chain.eltwise(eltwise_linear, almost_infinite).eltwise(eltwise_clip, from, to);
  return then(calls, binary_add, of.format, Tensor::y);
}

/// x + infinity x within -1 and 1.
TwoCalls sign(const Of& of) {
  TwoCalls calls = of.first({eltwise_linear, almost_infinite}, binary_add);
  calls.chain.eltwise(eltwise_clip, -1, 1);
  return calls;
}

/// x less the nearest multiple of 2 pi.
Before within_half_a_period(const Of& of) {
  require_rounding(of.context);
  constexpr float period = 2 * std::numbers::pi_v<float>;
  Chain chain;
  chain.eltwise(eltwise_linear, 1 / period)
      .eltwise(eltwise_round)
      .eltwise(eltwise_pow, -period, 1)
      .binary(binary_add, of.format);
  std::vector<int> again = chain.tensors();
  again.push_back(DNNL_ARG_SRC_1);
  dnnl::primitive_attr attributes = of.context.attributes();
  attributes.set_post_ops(chain.operations());
  const auto call = [engine = of.context.engine(), attributes](const Memory::desc& format) {
    return api::implementation_of<dnnl::binary>(engine, attributes, binary_max, format, format,
                                                format);
  };
  return {0, call, again};
}

/// The Taylor series of cos(y) or sin(y) with |y| <= pi, its rest below 2e-7.
TwoCalls periodic(const Of& of, bool is_odd) {
  constexpr std::size_t terms = 9;
  // Of y^(2 i), times y if odd.
  std::array<float, terms> factors{};
  double factor = 1;
  for (std::size_t i = 0; i < terms; ++i) {
    factors[i] = static_cast<float>(factor);
    const double next = static_cast<double>(2 * i + (is_odd ? 2 : 1));
    factor /= -next * (next + 1);
  }
  const Dims dims = api::dims(of.format);
  TwoCalls calls{within_half_a_period(of), binary_mul, Tensor::y};
  calls.chain.eltwise(eltwise_linear, factors[terms - 1], factors[terms - 2]);
  for (std::size_t i = terms - 2; i-- > 0;) {
    then(calls, binary_mul, of.format, Tensor::y);
    then(calls, binary_mul, of.format, Tensor::y);
    calls.chain.binary(binary_add, floats(Dims(dims.size(), 1)));
    calls.constants.push_back({calls.chain.tensors().back(), factors[i]});
  }
  return is_odd ? then(calls, binary_mul, of.format, Tensor::y) : calls;
}

constexpr std::pair<ActivationKind, TwoCalls (*)(const Of&)> functions[] = {
    {ActivationKind::erf, erf},
    {ActivationKind::softsign, softsign},
    {ActivationKind::floor, [](const Of& of) { return next_integer(of, -1, 0); }},
    {ActivationKind::ceil, [](const Of& of) { return next_integer(of, 0, 1); }},
    {ActivationKind::sign, sign},
    {ActivationKind::sin, [](const Of& of) { return periodic(of, true); }},
    {ActivationKind::cos, [](const Of& of) { return periodic(of, false); }}};

}  // namespace

bool is_by_two_calls(ActivationKind kind) { return found_in(functions, kind).has_value(); }

Plan plan_by_two_calls(const Activation& shape, const Problem& problem,
                       const VariantContext& context) {
  const std::string function(shape.op());
  if (context.integers() || !problem.epilogue.steps.empty()) {
    throw harness::Unsupported("oneDNN has no " + function + ", only calls that compute it");
  }
  const Memory::desc format = context.tensor(shape.input);
  // With SSE4.1 alone, 2.6 writes beyond tensors of padded channels.
  if (format.get_size() != context.plain(shape.input).get_size()) {
    throw harness::Unsupported("oneDNN has no " + function + " of padded channels");
  }
  TwoCalls calls = found_in(functions, shape.kind).value()({context, format});
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_post_ops(calls.chain.operations());
  calls.tensors.push_back({.id = DNNL_ARG_SRC_0, .operand = 0, .made = calls.left == Tensor::y});
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), attributes, calls.combine, format, format, format),
          .operands = {{DNNL_ARG_SRC_1, floats(shape.input)}},
          .result = {DNNL_ARG_DST, floats(shape.input)},
          .fills = calls.constants,
          .again = calls.tensors,
          .before = {calls.first}};
}

}  // namespace benanza::onednn
