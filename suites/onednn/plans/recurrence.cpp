#include "suites/onednn/plans/recurrence.h"

#include <algorithm>
#include <numeric>

#include "suites/harness/primitive.h"

namespace benanza::onednn {
namespace {

using Values = std::vector<float>;

/// The problem's gate at each position of the library: LSTM is iofc in ONNX and ifco in oneDNN.
std::vector<std::int64_t> gate_order(const Recurrent& shape) {
  if (shape.kind == RecurrentKind::lstm) return {0, 2, 3, 1};
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.gates()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Reorders weights, in blocks of `gate_elements` per gate, to the library's order of gates.
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

/// Adds the two biases of each gate; if the reset gate acts after the recurrent product, the
/// candidate's recurrent bias comes separately, last.
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

/// Reverses with_gates_ordered(), for gradients of weights.
Values with_gates_restored(const Recurrent& shape, std::int64_t gate_elements,
                           std::span<const float> values) {
  const std::vector<std::int64_t> order = gate_order(shape);
  const std::int64_t gates = shape.gates();
  Values result(values.size());
  const std::int64_t cells = static_cast<std::int64_t>(values.size()) / (gates * gate_elements);
  auto from = values.begin();
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    for (const std::int64_t gate : order) {
      std::copy(from, from + gate_elements, result.begin() + (cell * gates + gate) * gate_elements);
      from += gate_elements;
    }
  }
  return result;
}

/// The library's single bias per gate is the sum of the problem's two, so both get its gradient.
Values unfolded_bias(const Recurrent& shape, std::span<const float> values) {
  const std::int64_t gates = shape.gates();
  const std::int64_t rows = gates * shape.hidden;
  const std::int64_t cells = shape.layers * shape.directions();
  Values result(static_cast<std::size_t>(cells * 2 * rows));
  auto from = values.begin();
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const auto input = result.begin() + cell * 2 * rows;
    const auto take = [&](auto target) {
      std::copy(from, from + shape.hidden, target);
      return shape.hidden;
    };
    for (const std::int64_t gate : gate_order(shape)) {
      take(input + gate * shape.hidden);
      from += take(input + rows + gate * shape.hidden);
    }
    if (shape.linear_before_reset) from += take(input + rows + (gates - 1) * shape.hidden);
  }
  return result;
}

/// Within a step, the library stores both directions of a batch entry together, the problem each
/// direction's batch. `apart` converts from the library's order to the problem's, otherwise the
/// reverse.
Values reordered_directions(const Recurrent& shape, std::span<const float> values, bool apart) {
  Values result(values.size());
  std::int64_t next = 0;
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      for (std::int64_t entry = 0; entry < shape.batch; ++entry) {
        const std::int64_t together =
            ((step * shape.batch + entry) * shape.directions() + direction) * shape.hidden;
        const auto from = values.begin() + (apart ? together : next);
        std::copy(from, from + shape.hidden, result.begin() + (apart ? next : together));
        next += shape.hidden;
      }
    }
  }
  return result;
}

/// Layers x directions x inputs x gates x hidden.
Dims weight_dims(const Recurrent& shape, std::int64_t inputs) {
  return {shape.layers, shape.directions(), inputs, shape.gates(), shape.hidden};
}

Dims sequence_strides(const Recurrent& shape, std::int64_t channels) {
  if (shape.batch_first) return {channels, shape.steps * channels, 1};
  return {shape.batch * channels, channels, 1};
}

Memory::desc sequence(const Recurrent& shape, std::int64_t channels,
                      const VariantContext& context) {
  return context.strided({shape.steps, shape.batch, channels}, sequence_strides(shape, channels));
}

/// The problem stores weights as rows of `inputs` elements, gate after gate.
Memory::desc weight_values(const Recurrent& shape, std::int64_t inputs) {
  const std::int64_t gate = shape.hidden * inputs;
  const std::int64_t cell = shape.gates() * gate;
  return floats(weight_dims(shape, inputs), {shape.directions() * cell, cell, 1, gate, inputs});
}

Argument weights_argument(const Recurrent& shape, int id, std::int64_t inputs) {
  const std::int64_t gate = shape.hidden * inputs;
  return {id, weight_values(shape, inputs),
          [=](std::span<const float> values) { return with_gates_ordered(shape, gate, values); }};
}

Memory::desc weights_format(const Recurrent& shape, std::int64_t inputs,
                            const VariantContext& context, RecurrentWeights weights) {
  const Dims dims = weight_dims(shape, inputs);
  return weights == RecurrentWeights::row_major ? context.plain(dims)
                                                : context.chosen_by_library(dims);
}

}  // namespace

void check_recurrence(const Recurrent& shape, const VariantContext& context) {
  if (context.integers() && (shape.kind != RecurrentKind::lstm || shape.training)) {
    throw harness::Unsupported("oneDNN has no int8 recurrence but the LSTM of inference");
  }
  if (shape.layers > 1 && shape.input_size != shape.directions() * shape.hidden) {
    throw harness::Unsupported("oneDNN's layers all have inputs of one size");
  }
}

dnnl::rnn_direction rnn_direction(const Recurrent& shape) {
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

dnnl::algorithm rnn_function(const Recurrent& shape) {
  return shape.kind == RecurrentKind::rnn_tanh ? dnnl::algorithm::eltwise_tanh
                                               : dnnl::algorithm::eltwise_relu;
}

RecurrentTensors::RecurrentTensors(const Recurrent& shape, const VariantContext& context,
                                   RecurrentWeights format)
    : x(sequence(shape, shape.input_size, context)),
      weights(weights_format(shape, shape.input_size, context, format)),
      recurrence(weights_format(shape, shape.hidden, context, format)),
      // The library has no recurrence without bias.
      bias(floats({shape.layers, shape.directions(), bias_gates(shape), shape.hidden})),
      y(sequence(shape, shape.directions() * shape.hidden, context)),
      state(context.plain({shape.layers, shape.directions(), shape.batch, shape.hidden})) {
  if (shape.initial) initial = state;
  if (shape.final) last = state;
}

Implementation recurrence(const Recurrent& shape, const VariantContext& context,
                          dnnl::prop_kind kind, RecurrentWeights weights) {
  const RecurrentTensors t(shape, context, weights);
  const dnnl::primitive_attr attributes = context.attributes();
  const dnnl::engine& engine = context.engine();
  const dnnl::rnn_direction direction = rnn_direction(shape);
  switch (shape.kind) {
    case RecurrentKind::lstm:
      return api::implementation_of<dnnl::lstm_forward>(engine, attributes, kind, direction, t.x,
                                                        t.initial, t.initial, t.weights,
                                                        t.recurrence, t.bias, t.y, t.last, t.last);
    case RecurrentKind::gru:
      if (shape.linear_before_reset) {
        return api::implementation_of<dnnl::lbr_gru_forward>(engine, attributes, kind, direction,
                                                             t.x, t.initial, t.weights,
                                                             t.recurrence, t.bias, t.y, t.last);
      }
      return api::implementation_of<dnnl::gru_forward>(engine, attributes, kind, direction, t.x,
                                                       t.initial, t.weights, t.recurrence, t.bias,
                                                       t.y, t.last);
    case RecurrentKind::rnn_tanh:
    case RecurrentKind::rnn_relu:
      break;
  }
  return api::implementation_of<dnnl::vanilla_rnn_forward>(
      engine, attributes, kind, rnn_function(shape), direction, t.x, t.initial, t.weights,
      t.recurrence, t.bias, t.y, t.last);
}

void add_recurrent_operands(Plan& plan, const Recurrent& shape) {
  plan.operands.push_back(sequence_argument(shape, DNNL_ARG_SRC_LAYER, shape.input_size));
  plan.operands.push_back(weights_argument(shape, DNNL_ARG_WEIGHTS_LAYER, shape.input_size));
  plan.operands.push_back(weights_argument(shape, DNNL_ARG_WEIGHTS_ITER, shape.hidden));
  if (shape.bias) {
    plan.operands.push_back(
        {DNNL_ARG_BIAS, floats({shape.layers, shape.directions(), bias_gates(shape), shape.hidden}),
         [=](std::span<const float> values) { return folded_bias(shape, values); }});
  } else {
    plan.fills.push_back({.id = DNNL_ARG_BIAS});
  }
  if (!shape.initial) return;
  plan.operands.push_back(state_argument(shape, DNNL_ARG_SRC_ITER));
  if (shape.kind == RecurrentKind::lstm) {
    plan.operands.push_back(state_argument(shape, DNNL_ARG_SRC_ITER_C));
  }
}

Argument sequence_argument(const Recurrent& shape, int id, std::int64_t channels) {
  return {id, floats({shape.steps, shape.batch, channels}, sequence_strides(shape, channels))};
}

Argument output_argument(const Recurrent& shape, int id, bool is_operand) {
  Argument argument = sequence_argument(shape, id, shape.directions() * shape.hidden);
  if (shape.directions() == 2 && !shape.batch_first) {
    argument.rearrange = [=](std::span<const float> values) {
      return reordered_directions(shape, values, !is_operand);
    };
  }
  return argument;
}

Argument state_argument(const Recurrent& shape, int id) {
  return {id, floats({shape.layers, shape.directions(), shape.batch, shape.hidden})};
}

Argument weight_gradient(const Recurrent& shape, int id, std::int64_t inputs) {
  const std::int64_t gate = shape.hidden * inputs;
  return {
      .id = id,
      .values = weight_values(shape, inputs),
      .rearrange =
          [=](std::span<const float> values) { return with_gates_restored(shape, gate, values); },
      .accumulates = true};
}

Argument bias_gradient(const Recurrent& shape, int id) {
  return {.id = id,
          .values = floats({shape.layers, shape.directions(), bias_gates(shape), shape.hidden}),
          .rearrange = [=](std::span<const float> values) { return unfolded_bias(shape, values); },
          .accumulates = true};
}

}  // namespace benanza::onednn
