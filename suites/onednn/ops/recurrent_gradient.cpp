#include "suites/harness/primitive.h"
#include "suites/onednn/plans/recurrence.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// A gradient's primitive and the forward primitive that it requires.
struct Calls {
  Implementation gradient;
  Implementation forward;
};

/// The library computes all gradients in fp32, even at bf16.
RecurrentTensors gradient_tensors(const Recurrent& shape, const VariantContext& context) {
  return {shape, VariantContext(context.engine(), Precision::fp32, context.layout())};
}

/// `activation` is given for networks without gates only.
template <class Forward, class Backward, class... Activation>
Calls calls_without_cells(const Recurrent& shape, const VariantContext& context,
                          Activation... activation) {
  const RecurrentTensors t(shape, context);
  const RecurrentTensors d = gradient_tensors(shape, context);
  const dnnl::rnn_direction direction = rnn_direction(shape);
  const auto forward = api::forward_of<Forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, activation...,
      direction, t.x, t.initial, t.weights, t.recurrence, t.bias, t.y, t.last);
  return {api::gradient_of<Backward>(context.engine(), context.attributes(), forward,
                                     dnnl::prop_kind::backward, activation..., direction, t.x,
                                     t.initial, t.weights, t.recurrence, t.bias, t.y, t.last, d.x,
                                     d.initial, d.weights, d.recurrence, d.bias, d.y, d.last),
          Implementation(forward.descriptor)};
}

Calls lstm_calls(const Recurrent& shape, const VariantContext& context) {
  const RecurrentTensors t(shape, context);
  const RecurrentTensors d = gradient_tensors(shape, context);
  const dnnl::rnn_direction direction = rnn_direction(shape);
  const auto forward = api::forward_of<dnnl::lstm_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_training, direction, t.x,
      t.initial, t.initial, t.weights, t.recurrence, t.bias, t.y, t.last, t.last);
  return {api::gradient_of<dnnl::lstm_backward>(
              context.engine(), context.attributes(), forward, dnnl::prop_kind::backward, direction,
              t.x, t.initial, t.initial, t.weights, t.recurrence, t.bias, t.y, t.last, t.last, d.x,
              d.initial, d.initial, d.weights, d.recurrence, d.bias, d.y, d.last, d.last),
          Implementation(forward.descriptor)};
}

Calls calls(const Recurrent& shape, const VariantContext& context) {
  switch (shape.kind) {
    case RecurrentKind::lstm:
      return lstm_calls(shape, context);
    case RecurrentKind::gru:
      if (shape.linear_before_reset) {
        return calls_without_cells<dnnl::lbr_gru_forward, dnnl::lbr_gru_backward>(shape, context);
      }
      return calls_without_cells<dnnl::gru_forward, dnnl::gru_backward>(shape, context);
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return calls_without_cells<dnnl::vanilla_rnn_forward, dnnl::vanilla_rnn_backward>(
      shape, context, rnn_function(shape));
}

Plan plan(const RecurrentGradient& gradient, const VariantContext& context) {
  const Recurrent& shape = gradient.forward;
  if (gradient.of != RecurrentGradients::of_both) {
    throw harness::Unsupported("oneDNN has one call for both: " +
                               std::string(RecurrentGradient{shape}.op()));
  }
  check_recurrence(shape, context);
  const bool lstm = shape.kind == RecurrentKind::lstm;
  // Without an initial state oneDNN 2.6 adds wrong values to the recurrence's gradient (left to
  // right, except gru; found by our tests with version 2.6.3), and at bf16 it has no lstm with
  // initial but without final cells. So it always gets initial states, zeros if need be, and
  // computes all final ones.
  Recurrent with_states = shape;
  with_states.initial = with_states.final = true;
  const Calls both = calls(with_states, context);
  Plan plan{.implementation = both.gradient,
            .operands = {},
            .result = sequence_argument(shape, DNNL_ARG_DIFF_SRC_LAYER, shape.input_size)};
  add_recurrent_operands(plan, shape);
  Preparation forward{.call = both.forward, .operands = {}, .results = {DNNL_ARG_DST_LAYER}};
  for (std::size_t operand = 0; operand < plan.operands.size(); ++operand) {
    forward.operands.push_back(operand);
  }
  plan.operands.push_back(output_argument(shape, DNNL_ARG_DIFF_DST_LAYER, true));
  if (shape.initial) {
    plan.further_results.push_back(state_argument(shape, DNNL_ARG_DIFF_SRC_ITER));
    if (lstm) plan.further_results.push_back(state_argument(shape, DNNL_ARG_DIFF_SRC_ITER_C));
  } else {
    for (const int id : {DNNL_ARG_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER})
      plan.fills.push_back({.id = id});
    if (lstm) {
      for (const int id : {DNNL_ARG_SRC_ITER_C, DNNL_ARG_DIFF_SRC_ITER_C}) {
        plan.fills.push_back({.id = id});
      }
    }
  }
  if (shape.final) {
    plan.operands.push_back(state_argument(shape, DNNL_ARG_DIFF_DST_ITER));
    if (lstm) plan.operands.push_back(state_argument(shape, DNNL_ARG_DIFF_DST_ITER_C));
  } else {
    plan.fills.push_back({.id = DNNL_ARG_DIFF_DST_ITER});
    if (lstm) plan.fills.push_back({.id = DNNL_ARG_DIFF_DST_ITER_C});
  }
  forward.results.push_back(DNNL_ARG_DST_ITER);
  if (lstm) forward.results.push_back(DNNL_ARG_DST_ITER_C);
  plan.further_results.push_back(
      weight_gradient(shape, DNNL_ARG_DIFF_WEIGHTS_LAYER, shape.input_size));
  plan.further_results.push_back(weight_gradient(shape, DNNL_ARG_DIFF_WEIGHTS_ITER, shape.hidden));
  if (shape.bias) {
    plan.further_results.push_back(bias_gradient(shape, DNNL_ARG_DIFF_BIAS));
  } else {
    // The library has no recurrence without bias, and writes the bias' gradient.
    plan.fills.push_back({.id = DNNL_ARG_DIFF_BIAS});
  }
  plan.preparation = std::move(forward);
  return plan;
}

}  // namespace

void register_recurrent_gradient(WayTable& table) {
  table.add(family_of_one<RecurrentGradient>(
      [](const RecurrentGradient&) { return std::vector{Layout::plain}; },
      [](const RecurrentGradient& shape, const Problem&, const VariantContext& context) {
        return plan(shape, context);
      }));
}

}  // namespace benanza::onednn
