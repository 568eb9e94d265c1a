#include <algorithm>
#include <cmath>

#include "generator/fusion/region.h"

namespace benanza::fusion {
namespace {

std::optional<CombineKind> combination(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::add:
      return CombineKind::add;
    case BinaryKind::sub:
      return CombineKind::sub;
    case BinaryKind::mul:
      return CombineKind::mul;
    case BinaryKind::div:
      return CombineKind::div;
    case BinaryKind::max:
      return CombineKind::max;
    case BinaryKind::min:
      return CombineKind::min;
    default:
      return std::nullopt;
  }
}

/// Larger numbers (the -10000 of a mask) stay tensors, because the results to verify would leave
/// the range of fp16.
constexpr float greatest_number = 32;

/// The step for a tensor of one known element as a function: alpha x + beta, or a bound.
std::optional<Activation> with_number(const Combine& step, double number) {
  const auto value = static_cast<float>(number);
  const float factor = step.kind == CombineKind::div ? 1 / value : value;
  if (!(std::abs(factor) <= greatest_number)) return std::nullopt;
  const auto linear = [](float alpha, float beta) {
    return Activation{.input = {}, .kind = ActivationKind::linear, .alpha = alpha, .beta = beta};
  };
  switch (step.kind) {
    case CombineKind::add:
      return linear(1, value);
    case CombineKind::sub:
      return step.reversed ? linear(-1, value) : linear(1, -value);
    case CombineKind::mul:
      return linear(value, 0);
    case CombineKind::div:
      if (step.reversed) return std::nullopt;
      return linear(factor, 0);
    case CombineKind::max:
      if (value == 0) return Activation{.input = {}, .kind = ActivationKind::relu};
      return std::nullopt;
    case CombineKind::min:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Step> combine_step(const Flow& flow, const Chain& chain, const NextCall& next) {
  const auto& shape = std::get<Binary>(next.call.problem.shape);
  const auto kind = combination(shape.kind);
  const Dims result = output(chain.problem);
  const Dims made = shape.output();
  if (!kind || element_count(made) != element_count(result)) return std::nullopt;
  if ((next.operand == 0 ? shape.a : shape.b) != made) return std::nullopt;
  const std::size_t other = 1 - next.operand;
  const Source& source = next.call.operands[other];
  const bool reversed = other == 0 && (*kind == CombineKind::sub || *kind == CombineKind::div);
  // The divisor may be 0 in one library and nearly 0 in another.
  if (reversed && *kind == CombineKind::div) return std::nullopt;
  const Dims& extents = other == 0 ? shape.a : shape.b;
  const Read* read = flow.read(next.layer, source);
  Combine step{.kind = *kind,
               .y = {},
               .constant = other == 1 ? shape.constant_b : flow.is_constant(next.layer, source),
               .reversed = reversed};
  if (step.constant && element_count(extents) == 1 && read != nullptr && read->value) {
    if (const auto function = with_number(step, *read->value)) return *function;
  }
  const auto fitted = refitted(extents, made, result);
  if (!fitted) return std::nullopt;
  step.y = *fitted;
  return step;
}

std::optional<Step> next_step(const Flow& flow, const Chain& chain, const NextCall& next) {
  if (std::holds_alternative<Binary>(next.call.problem.shape)) {
    return combine_step(flow, chain, next);
  }
  const auto* function = std::get_if<Activation>(&next.call.problem.shape);
  if (function == nullptr || !is_smooth_step(*function)) return std::nullopt;
  Activation step = *function;
  step.input.clear();
  return step;
}

/// The extents of one value per filter, column or channel, in the result's rank.
Dims per_channel(const Problem& problem) {
  const Dims result = output(problem);
  const std::size_t axis = std::holds_alternative<Gemm>(problem.shape) ? result.size() - 1 : 1;
  Dims extents(result.size(), 1);
  extents[axis] = result[axis];
  return extents;
}

/// True if the chain's call has weights, or a scale and a shift, that are known when the model is
/// loaded, and no steps except a bias.
bool has_constant_factors(const Flow& flow, const Chain& chain) {
  const Epilogue& epilogue = chain.problem.epilogue;
  if (epilogue != Epilogue{} && epilogue != Epilogue{.bias = true}) return false;
  const std::size_t first = chain.layers.front();
  const auto is_known = [&](const Source& source) { return flow.is_constant(first, source); };
  const auto& operands = flow.layer(first).calls.front().operands;
  if (std::holds_alternative<BatchNormalization>(chain.problem.shape)) {
    return std::all_of(operands.begin() + 1, operands.end(), is_known);
  }
  const bool product = std::visit(
      [](const auto& shape) {
        return requires { shape.bias_length(); };
      },
      chain.problem.shape);
  return product && is_known(operands[1]);
}

Fold fold_of(const Combine& combine, const FlowOperand& operand) {
  Fold fold{.tensor = operand.index, .scale = operand.scale};
  switch (combine.kind) {
    case CombineKind::sub:
      fold.kind = combine.reversed ? Fold::Kind::rsub : Fold::Kind::sub;
      break;
    case CombineKind::mul:
      fold.kind = Fold::Kind::mul;
      break;
    case CombineKind::div:
      fold.kind = Fold::Kind::div;
      break;
    default:
      fold.kind = Fold::Kind::add;
  }
  return fold;
}

/// The constants of a batch normalization; empty if they come from other calls.
std::optional<Statistics> statistics_of(const Flow& flow, const NextCall& next) {
  const auto& sources = next.call.operands;
  if (sources.size() != 5) return std::nullopt;
  std::size_t tensors[4];
  for (std::size_t place = 0; place < 4; ++place) {
    const auto operand = flow_operand(flow, next.layer, sources[place + 1]);
    if (!operand || operand->scale != 1) return std::nullopt;
    tensors[place] = operand->index;
  }
  return Statistics{.scale = tensors[0],
                    .shift = tensors[1],
                    .mean = tensors[2],
                    .variance = tensors[3],
                    .epsilon = std::get<BatchNormalization>(next.call.problem.shape).epsilon};
}

/// Folds a constant factor or term per filter or column into the preceding weights and bias.
/// Returns the remaining problem, which has no step for it.
std::optional<Problem> folded(const Flow& flow, const Chain& chain, const Step& step) {
  if (!has_constant_factors(flow, chain)) return std::nullopt;
  const bool is_product = !std::holds_alternative<BatchNormalization>(chain.problem.shape);
  Problem problem = chain.problem;
  if (const auto* function = std::get_if<Activation>(&step)) {
    if (function->kind != ActivationKind::linear) return std::nullopt;
    problem.epilogue.bias |= is_product && function->beta != 0;
    return problem;
  }
  const auto& combine = std::get<Combine>(step);
  const bool fits = combine.y == per_channel(problem) || element_count(combine.y) == 1;
  if (!combine.constant || !fits) return std::nullopt;
  switch (combine.kind) {
    case CombineKind::add:
    case CombineKind::sub:
      problem.epilogue.bias |= is_product;
      return problem;
    case CombineKind::mul:
    case CombineKind::div:
      return problem;
    default:
      return std::nullopt;
  }
}

bool has_constant_statistics(const Flow& flow, const NextCall& next) {
  const auto& statistics = next.call.operands;
  return std::all_of(statistics.begin() + 1, statistics.end(),
                     [&](const Source& source) { return flow.is_constant(next.layer, source); });
}

/// Adds a factor and a shift per channel as two steps; both are computed from the four constants.
std::optional<Chain> with_factor_and_shift(const Flow& flow, const Chain& chain,
                                           const NextCall& next) {
  const auto& shape = std::get<BatchNormalization>(next.call.problem.shape);
  if (next.operand != 0 || !has_constant_statistics(flow, next)) return std::nullopt;
  Dims channels(shape.input.size(), 1);
  channels[1] = shape.input[1];
  const auto fitted = refitted(channels, shape.input, output(chain.problem));
  if (!fitted) return std::nullopt;
  Chain longer = extended(chain, next, "bn");
  for (const CombineKind kind : {CombineKind::mul, CombineKind::add}) {
    longer.problem =
        with_step(std::move(longer.problem), Combine{.kind = kind, .y = *fitted, .constant = true});
  }
  const auto statistics = statistics_of(flow, next);
  longer.operands.known = longer.operands.known && statistics;
  for (const auto kind : {FlowOperand::Kind::factor, FlowOperand::Kind::shift}) {
    longer.operands.steps.push_back({.kind = kind, .statistics = statistics});
  }
  return longer;
}

}  // namespace

std::optional<Chain> with_batch_normalization(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next || next->operand != 0) return std::nullopt;
  const auto* normalization = std::get_if<BatchNormalization>(&next->call.problem.shape);
  if (normalization == nullptr || normalization->input != output(chain.problem)) {
    return std::nullopt;
  }
  const std::size_t product = chain.layers.front();
  const Source& weights = flow.layer(product).calls.front().operands[1];
  const bool has_bias_alone =
      chain.problem.epilogue == Epilogue{} || chain.problem.epilogue == Epilogue{.bias = true};
  if (!has_bias_alone || !has_constant_statistics(flow, *next) ||
      !flow.is_constant(product, weights)) {
    return std::nullopt;
  }
  // An earlier bias is folded into the new one, so it is dropped from the name.
  Chain folded = chain;
  folded.pattern = folded.pattern.substr(0, folded.pattern.find('_'));
  Chain longer = extended(std::move(folded), *next, "bn");
  longer.problem.epilogue.bias = true;
  const auto statistics = statistics_of(flow, *next);
  longer.operands.known = longer.operands.known && statistics;
  longer.operands.folds.push_back(
      {.kind = Fold::Kind::batch_normalization, .statistics = statistics});
  return longer;
}

std::optional<Chain> with_next_step(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next) return std::nullopt;
  if (std::holds_alternative<BatchNormalization>(next->call.problem.shape)) {
    return with_factor_and_shift(flow, chain, *next);
  }
  const auto step = next_step(flow, chain, *next);
  if (!step) return std::nullopt;
  const auto without = folded(flow, chain, *step);
  Problem problem = without ? *without : with_step(chain.problem, *step);
  const bool is_bias = problem.epilogue.bias != chain.problem.epilogue.bias;
  const bool is_residual = problem.epilogue.residual != chain.problem.epilogue.residual;
  const std::string name(word(*step));
  Chain longer = extended(chain, *next, is_bias && name == "add" ? "bias" : name);
  longer.problem = std::move(problem);
  if (const auto* combine = std::get_if<Combine>(&*step)) {
    const auto operand = flow_operand(flow, next->layer, next->call.operands[1 - next->operand]);
    ChainOperands& operands = longer.operands;
    operands.known = operands.known && operand;
    if (without || is_bias) {
      operands.folds.push_back(fold_of(*combine, operand.value_or(FlowOperand{})));
    } else if (is_residual) {
      operands.residual = operand;
    } else {
      operands.steps.push_back(operand.value_or(FlowOperand{}));
    }
  } else if (without) {
    const auto& function = std::get<Activation>(*step);
    longer.operands.folds.push_back(
        {.kind = Fold::Kind::linear, .alpha = function.alpha, .beta = function.beta});
  }
  if (is_residual) {
    longer.keeps_residual = !flow.may_be_overwritten(
        next->layer, next->call.operands[1 - next->operand], chain.layers.front());
  }
  return longer;
}

}  // namespace benanza::fusion
