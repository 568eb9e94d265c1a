#include <algorithm>
#include <numeric>
#include <utility>

#include "core/problem/ops/copy.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/solvers.h"

namespace benanza::onednn {
namespace {

using Values = std::vector<float>;
using Kind = RecurrentKind;

/// The problem's gate that the library has in each place: LSTM is iofc in ONNX and ifco here.
std::vector<std::int64_t> gate_order(const Recurrent& shape) {
  if (shape.kind == Kind::lstm) return {0, 2, 3, 1};
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.gates()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Weights whose rows are blocks of one gate of `gate_elements`, the gates in the library's order.
Values with_gates_ordered(const Recurrent& shape, std::int64_t gate_elements,
                          std::span<const float> values) {
  const std::vector<std::int64_t> order = gate_order(shape);
  const std::int64_t gates = shape.gates();
  Values result;
  result.reserve(values.size());
  const std::int64_t cells = static_cast<std::int64_t>(values.size()) / (gates * gate_elements);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    for (const std::int64_t gate : order) {
      const auto begin = values.begin() + (cell * gates + gate) * gate_elements;
      result.insert(result.end(), begin, begin + gate_elements);
    }
  }
  return result;
}

std::int64_t bias_gates(const Recurrent& shape) {
  return shape.gates() + (shape.linear_before_reset ? 1 : 0);
}

/// The two biases of a gate in one; of the candidate that the reset gate stands before, the
/// recurrence's apart, behind all others.
Values folded_bias(const Recurrent& shape, std::span<const float> values) {
  const std::int64_t gates = shape.gates();
  const std::int64_t rows = gates * shape.hidden;
  Values result;
  for (std::int64_t cell = 0; cell < shape.layers * shape.directions(); ++cell) {
    const float* input = values.data() + cell * 2 * rows;
    const float* recurrence = input + rows;
    for (const std::int64_t gate : gate_order(shape)) {
      const bool apart = shape.linear_before_reset && gate == gates - 1;
      for (std::int64_t unit = 0; unit < shape.hidden; ++unit) {
        const std::int64_t row = gate * shape.hidden + unit;
        result.push_back(input[row] + (apart ? 0 : recurrence[row]));
      }
    }
    if (!shape.linear_before_reset) continue;
    const float* candidate = recurrence + (gates - 1) * shape.hidden;
    result.insert(result.end(), candidate, candidate + shape.hidden);
  }
  return result;
}

/// The library's result, with both directions of a step together, as the problem has it: each
/// direction's batch together.
Values directions_apart(const Recurrent& shape, std::span<const float> values) {
  Values result(values.size());
  std::size_t next = 0;
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      for (std::int64_t entry = 0; entry < shape.batch; ++entry) {
        const auto from =
            values.begin() +
            ((step * shape.batch + entry) * shape.directions() + direction) * shape.hidden;
        std::copy(from, from + shape.hidden, result.begin() + static_cast<std::ptrdiff_t>(next));
        next += static_cast<std::size_t>(shape.hidden);
      }
    }
  }
  return result;
}

dnnl::rnn_direction direction(const Recurrent& shape) {
  switch (shape.direction) {
    case RecurrentDirection::forward:
      return dnnl::rnn_direction::unidirectional_left2right;
    case RecurrentDirection::reverse:
      return dnnl::rnn_direction::unidirectional_right2left;
    case RecurrentDirection::bidirectional:
      break;
  }
  return dnnl::rnn_direction::bidirectional_concat;
}

/// The library's tensors. Those that the problem does not have are empty.
struct Tensors {
  Tensors(const Recurrent& shape, const VariantContext& context)
      : x(sequence(shape, shape.input_size, context)),
        weights(context.chosen_by_library(weight_dims(shape, shape.input_size))),
        recurrence(context.chosen_by_library(weight_dims(shape, shape.hidden))),
        y(sequence(shape, shape.directions() * shape.hidden, context)) {
    const Dims cells{shape.layers, shape.directions()};
    state = context.plain({cells[0], cells[1], shape.batch, shape.hidden});
    // The library has no recurrence without a bias.
    bias = floats({cells[0], cells[1], bias_gates(shape), shape.hidden});
    if (shape.initial) initial = state;
    if (shape.final) last = state;
  }

  /// Layers x directions x inputs x gates x hidden.
  static Dims weight_dims(const Recurrent& shape, std::int64_t inputs) {
    return {shape.layers, shape.directions(), inputs, shape.gates(), shape.hidden};
  }

  static Dims sequence_strides(const Recurrent& shape, std::int64_t channels) {
    if (shape.batch_first) return {channels, shape.steps * channels, 1};
    return {shape.batch * channels, channels, 1};
  }

  static Memory::desc sequence(const Recurrent& shape, std::int64_t channels,
                               const VariantContext& context) {
    return context.strided({shape.steps, shape.batch, channels}, sequence_strides(shape, channels));
  }

  Memory::desc x;
  Memory::desc weights;
  Memory::desc recurrence;
  Memory::desc bias;
  Memory::desc y;
  Memory::desc state;
  Memory::desc initial;
  Memory::desc last;
};

/// One operand of weights, which the problem has as rows of `inputs` elements, gate after gate.
Argument weights_argument(const Recurrent& shape, int id, std::int64_t inputs) {
  const std::int64_t gate = shape.hidden * inputs;
  const std::int64_t cell = shape.gates() * gate;
  return {id,
          floats(Tensors::weight_dims(shape, inputs),
                 {shape.directions() * cell, cell, 1, gate, inputs}),
          [=](std::span<const float> values) { return with_gates_ordered(shape, gate, values); }};
}

void add_arguments(Plan& plan, const Recurrent& shape) {
  const bool lstm = shape.kind == Kind::lstm;
  plan.operands.push_back(weights_argument(shape, DNNL_ARG_WEIGHTS_LAYER, shape.input_size));
  plan.operands.push_back(weights_argument(shape, DNNL_ARG_WEIGHTS_ITER, shape.hidden));
  if (shape.bias) {
    plan.operands.push_back(
        {DNNL_ARG_BIAS, floats({shape.layers, shape.directions(), bias_gates(shape), shape.hidden}),
         [=](std::span<const float> values) { return folded_bias(shape, values); }});
  } else {
    plan.fills.push_back({.id = DNNL_ARG_BIAS});
  }
  const Memory::desc state = floats({shape.layers, shape.directions(), shape.batch, shape.hidden});
  if (shape.initial) {
    plan.operands.push_back({DNNL_ARG_SRC_ITER, state});
    if (lstm) plan.operands.push_back({DNNL_ARG_SRC_ITER_C, state});
  }
  if (shape.final) {
    plan.further_results.push_back({DNNL_ARG_DST_ITER, state});
    if (lstm) plan.further_results.push_back({DNNL_ARG_DST_ITER_C, state});
  }
  if (shape.directions() == 2 && !shape.batch_first) {
    plan.result.rearrange = [=](std::span<const float> values) {
      return directions_apart(shape, values);
    };
  }
}

Implementation recurrence(const Recurrent& shape, const VariantContext& context) {
  const Tensors t(shape, context);
  const auto inference = dnnl::prop_kind::forward_inference;
  const dnnl::primitive_attr attributes = context.attributes();
  const dnnl::engine& engine = context.engine();
  switch (shape.kind) {
    case Kind::lstm:
      return api::implementation_of<dnnl::lstm_forward>(
          engine, attributes, inference, direction(shape), t.x, t.initial, t.initial, t.weights,
          t.recurrence, t.bias, t.y, t.last, t.last);
    case Kind::gru:
      if (shape.linear_before_reset) {
        return api::implementation_of<dnnl::lbr_gru_forward>(
            engine, attributes, inference, direction(shape), t.x, t.initial, t.weights,
            t.recurrence, t.bias, t.y, t.last);
      }
      return api::implementation_of<dnnl::gru_forward>(engine, attributes, inference,
                                                       direction(shape), t.x, t.initial, t.weights,
                                                       t.recurrence, t.bias, t.y, t.last);
    case Kind::rnn_tanh:
    case Kind::rnn_relu:
      break;
  }
  const auto activation =
      shape.kind == Kind::rnn_tanh ? dnnl::algorithm::eltwise_tanh : dnnl::algorithm::eltwise_relu;
  return api::implementation_of<dnnl::vanilla_rnn_forward>(
      engine, attributes, inference, activation, direction(shape), t.x, t.initial, t.weights,
      t.recurrence, t.bias, t.y, t.last);
}

Plan plan(const Recurrent& shape, const VariantContext& context) {
  if (context.integers()) throw harness::Unsupported("int8 recurrence needs scales of its own");
  if (shape.layers > 1 && shape.input_size != shape.directions() * shape.hidden) {
    throw harness::Unsupported("oneDNN's layers all have inputs of one size");
  }
  const std::int64_t outputs = shape.directions() * shape.hidden;
  const auto values = [&](std::int64_t channels) {
    return floats({shape.steps, shape.batch, channels}, Tensors::sequence_strides(shape, channels));
  };
  Plan plan{.implementation = recurrence(shape, context),
            .operands = {{DNNL_ARG_SRC_LAYER, values(shape.input_size)}},
            .result = {DNNL_ARG_DST_LAYER, values(outputs)}};
  add_arguments(plan, shape);
  return plan;
}

}  // namespace

/// Weights are in whatever format the library likes, and biases in one: both are prepared when the
/// model is loaded. Step by step or batch by batch is the problem's, not a layout of the variant.
void register_recurrent(SolverTable& table) {
  table.add(solver_of_one_way<Recurrent>(
      [](const Recurrent&) { return std::vector{Layout::plain}; },
      [](const Recurrent& shape, const Problem&, const VariantContext& context) {
        return plan(shape, context);
      }));
}

}  // namespace benanza::onednn
