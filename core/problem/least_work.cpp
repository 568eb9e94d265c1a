#include "core/problem/least_work.h"

#include <algorithm>
#include <vector>

namespace benanza {
namespace {

/// The count of numbers in [0, count) that are congruent to `rest` modulo `step`.
std::int64_t count_of_rest(std::int64_t count, std::int64_t rest, std::int64_t step) {
  rest = ((rest % step) + step) % step;
  return count <= rest ? 0 : (count - rest + step - 1) / step;
}

/// At stride 1 and dilation 1.
std::int64_t least_of_sum(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel) {
  if (inputs <= 0 || outputs <= 0 || kernel <= 0) return 0;
  return std::min({outputs + kernel - 1, inputs + kernel - 1, outputs + inputs - 1});
}

/// Pairs of an output and a tap that use an input, not padding.
std::int64_t all_products(const Axis& axis) {
  std::int64_t count = 0;
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    // 0 <= o * stride + shift < inputs
    const std::int64_t shift = tap * axis.dilation - axis.pad;
    const std::int64_t first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride;
    const std::int64_t room = axis.inputs - 1 - shift;
    const std::int64_t last = room < 0 ? -1 : std::min(axis.outputs - 1, room / axis.stride);
    count += std::max<std::int64_t>(0, last - first + 1);
  }
  return count;
}

/// The count of inputs that some output uses.
std::int64_t touched_inputs(const Axis& axis) {
  std::vector<bool> is_touched(static_cast<std::size_t>(axis.inputs));
  std::int64_t count = 0;
  for (std::int64_t output = 0; output < axis.outputs; ++output) {
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
      const std::int64_t input = output * axis.stride - axis.pad + tap * axis.dilation;
      if (input < 0 || input >= axis.inputs || is_touched[static_cast<std::size_t>(input)])
        continue;
      is_touched[static_cast<std::size_t>(input)] = true;
      ++count;
    }
  }
  return count;
}

Axis axis_of(const Window& window, const Dims& inputs, const Dims& outputs, std::size_t axis) {
  return {.inputs = inputs[axis],
          .outputs = outputs[axis],
          .kernel = window.kernel[axis],
          .stride = window.strides[axis],
          .dilation = window.dilations[axis],
          .pad = window.pads[axis]};
}

using ProductsOfAxis = std::int64_t (*)(const Axis&);

double products_of(const Window& window, const Dims& inputs, const Dims& outputs,
                   ProductsOfAxis of_axis) {
  double products = 1;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    products *= static_cast<double>(of_axis(axis_of(window, inputs, outputs, axis)));
  }
  return products;
}

double number(std::int64_t value) { return static_cast<double>(value); }

struct Flops {
  ProductsOfAxis of_axis;

  double operator()(const Convolution& conv) const {
    const double pairs =
        number(conv.input[0]) * number(conv.filters) * number(conv.input[1] / conv.groups);
    return 2 * pairs *
           products_of(conv.window, spatial(conv.input), spatial(conv.output()), of_axis);
  }
  // By transposition, the same sums need as many multiplications.
  double operator()(const Deconvolution& deconv) const {
    const double pairs =
        number(deconv.input[0]) * number(deconv.input[1]) * number(deconv.filters / deconv.groups);
    return 2 * pairs *
           products_of(deconv.window, spatial(deconv.output()), spatial(deconv.input), of_axis);
  }
  // The same holds for the sums over pixels of a filter gradient.
  double operator()(const ConvolutionFilterGradient& gradient) const {
    return (*this)(gradient.forward);
  }
  double operator()(const Gemm& gemm) const { return gemm.flops(); }
  double operator()(const SparseProduct& product) const { return product.flops(); }
  double operator()(const Attention& attention) const { return attention.least_flops(); }
  double operator()(const AttentionGradient& gradient) const { return gradient.least_flops(); }
  double operator()(const Recurrent& recurrent) const {
    const std::int64_t with_state = recurrent.steps - (recurrent.initial ? 0 : 1);
    double products = 0;
    for (std::int64_t layer = 0; layer < recurrent.layers; ++layer) {
      products += number(recurrent.steps) * number(recurrent.layer_inputs(layer)) +
                  number(with_state) * number(recurrent.hidden);
    }
    return 2 * products * number(recurrent.batch) * number(recurrent.directions()) *
           number(recurrent.gates()) * number(recurrent.hidden);
  }
  // Ignores that a gradient may have one product more or less with the initial state.
  double operator()(const RecurrentGradient& gradient) const {
    const double forward = (*this)(gradient.forward);
    return (gradient.of_data() ? forward : 0) + (gradient.of_weights() ? forward : 0);
  }
  template <class Other>
  double operator()(const Other&) const {
    return 0;
  }
};

/// The share of the elements of inputs() that is needed.
double needed_share(const Shape& shape) {
  const auto of_window = [](const Window& window, const Dims& input, const Dims& output) {
    double share = 1;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const Axis one = axis_of(window, spatial(input), spatial(output), axis);
      share *= number(touched_inputs(one)) / number(one.inputs);
    }
    return share;
  };
  if (const auto* conv = std::get_if<Convolution>(&shape)) {
    return of_window(conv->window, conv->input, conv->output());
  }
  if (const auto* gradient = std::get_if<ConvolutionFilterGradient>(&shape)) {
    const Convolution& conv = gradient->forward;
    return of_window(conv.window, conv.input, conv.output());
  }
  if (const auto* pooling = std::get_if<Pooling>(&shape)) {
    return of_window(pooling->window, pooling->input, pooling->output());
  }
  return std::holds_alternative<Resampling>(shape) ? 0 : 1;
}

}  // namespace

std::int64_t least_products(const Axis& axis) {
  const std::int64_t all = all_products(axis);
  std::int64_t least = 0;
  if (axis.stride == 1) {
    for (std::int64_t rest = 0; rest < axis.dilation; ++rest) {
      least += least_of_sum(count_of_rest(axis.inputs, rest - axis.pad, axis.dilation),
                            count_of_rest(axis.outputs, rest, axis.dilation), axis.kernel);
    }
  } else if (axis.dilation == 1) {
    for (std::int64_t rest = 0; rest < axis.stride; ++rest) {
      least += least_of_sum(count_of_rest(axis.inputs, rest - axis.pad, axis.stride), axis.outputs,
                            count_of_rest(axis.kernel, rest, axis.stride));
    }
  } else {
    return all;
  }
  return std::min(least, all);
}

double least_flops(const Problem& problem) {
  return std::visit(Flops{least_products}, problem.shape);
}

double direct_flops(const Problem& problem) {
  return std::visit(Flops{all_products}, problem.shape);
}

double least_read_bytes(const Problem& problem, Precision precision) {
  if (const auto* copy = std::get_if<Copy>(&problem.shape)) {
    return number(copy->read_elements()) * number(element_bytes(precision));
  }
  double bytes = number(work(problem, precision).bytes_read);
  const double share = needed_share(problem.shape);
  if (share < 1) {
    const double input = number(element_count(inputs(problem).front().dims));
    bytes -= (1 - share) * input * number(element_bytes(precision));
  }
  return std::max(0.0, bytes);
}

double least_bytes(const Problem& problem, Precision precision) {
  return least_read_bytes(problem, precision) + number(work(problem, precision).bytes_written);
}

}  // namespace benanza
