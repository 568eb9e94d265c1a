#include "suites/onednn/plans/int8_lstm.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "suites/harness/int8_scale.h"
#include "suites/onednn/plans/recurrence.h"

namespace benanza::onednn {
namespace {

using Values = std::vector<float>;
using Convert = std::function<float(float)>;

constexpr float zero_point = 128;

/// Applies `convert` to every value, after what the argument already does to them.
void convert_after(Argument& argument, const Convert& convert) {
  argument.rearrange = [before = argument.rearrange, convert](std::span<const float> values) {
    Values converted = before ? before(values) : Values(values.begin(), values.end());
    std::ranges::transform(converted, converted.begin(), convert);
    return converted;
  };
}

float to_unsigned(float value) { return value + zero_point; }
float to_signed(float value) { return value - zero_point; }
float cell_from_steps(float value) { return value / harness::int8_steps_of_data; }
/// The library's conversion of weights to bytes takes inputs x gates x hidden, not the problem's
/// rows of inputs.
void give_inputs_first(Argument& argument, const Recurrent& shape, std::int64_t inputs) {
  const std::int64_t rows = shape.gates() * shape.hidden;
  argument.values = floats({shape.layers, shape.directions(), inputs, shape.gates(), shape.hidden});
  argument.rearrange = [=, before = argument.rearrange](std::span<const float> values) {
    const Values ordered = before(values);
    Values turned(ordered.size());
    const auto cells = static_cast<std::int64_t>(ordered.size()) / (rows * inputs);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const auto begin = static_cast<std::size_t>(cell * rows * inputs);
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t input = 0; input < inputs; ++input) {
          turned[begin + static_cast<std::size_t>(input * rows + row)] =
              ordered[begin + static_cast<std::size_t>(row * inputs + input)];
        }
      }
    }
    return turned;
  };
}

void convert_operands(Plan& plan, const Recurrent& shape) {
  for (Argument& operand : plan.operands) {
    switch (operand.id) {
      case DNNL_ARG_SRC_LAYER:
      case DNNL_ARG_SRC_ITER:
        convert_after(operand, to_unsigned);
        break;
      case DNNL_ARG_SRC_ITER_C:
        convert_after(operand, cell_from_steps);
        break;
      case DNNL_ARG_BIAS:
        convert_after(operand, [](float value) { return value * harness::int8_unit_of_bias; });
        break;
      case DNNL_ARG_WEIGHTS_LAYER:
        give_inputs_first(operand, shape, shape.input_size);
        break;
      case DNNL_ARG_WEIGHTS_ITER:
        give_inputs_first(operand, shape, shape.hidden);
        break;
      default:
        break;
    }
  }
}

Memory::desc in_type(const Memory::desc& format, Memory::data_type type) {
  return {api::dims(format), type, api::blocking(format).strides};
}

Implementation call(const Recurrent& shape, const VariantContext& context) {
  const RecurrentTensors t(shape, context);
  constexpr auto bytes = Memory::data_type::u8;
  const Memory::desc h = in_type(t.state, bytes);
  const Memory::desc c = in_type(t.state, Memory::data_type::f32);
  const auto if_any = [](bool any, const Memory::desc& format) {
    return any ? format : Memory::desc();
  };
  dnnl::primitive_attr attributes = context.attributes();
  attributes.set_rnn_data_qparams(harness::int8_steps_of_data, zero_point);
  constexpr int one_for_all = 0;
  attributes.set_rnn_weights_qparams(one_for_all, {1 / harness::int8_unit_of_weights(shape)});
  return api::implementation_of<dnnl::lstm_forward>(
      context.engine(), attributes, dnnl::prop_kind::forward_inference, rnn_direction(shape),
      in_type(t.x, bytes), if_any(shape.initial, h), if_any(shape.initial, c), t.weights,
      t.recurrence, t.bias, in_type(t.y, bytes), if_any(shape.final, h), if_any(shape.final, c));
}

}  // namespace

float cell_in_steps(float value) {
  constexpr float least = -128;
  constexpr float most = 127;
  if (std::isnan(value)) return least;
  return std::clamp(std::nearbyint(value * harness::int8_steps_of_data), least, most);
}

Plan plan_int8_lstm(const Recurrent& shape, const VariantContext& context) {
  Plan plan{.implementation = call(shape, context),
            .operands = {},
            .result = output_argument(shape, DNNL_ARG_DST_LAYER, false)};
  add_recurrent_operands(plan, shape);
  convert_operands(plan, shape);
  convert_after(plan.result, to_signed);
  if (!shape.final) return plan;
  Argument h = state_argument(shape, DNNL_ARG_DST_ITER);
  Argument c = state_argument(shape, DNNL_ARG_DST_ITER_C);
  convert_after(h, to_signed);
  convert_after(c, cell_in_steps);
  plan.further_results = {std::move(h), std::move(c)};
  return plan;
}

}  // namespace benanza::onednn
