#include "core/problem/least_work.h"

#include <algorithm>

namespace benanza {
namespace {

Axis axis_of(const Window& window, const Dims& inputs, const Dims& outputs, std::size_t axis) {
  return {.inputs = inputs[axis],
          .outputs = outputs[axis],
          .kernel = window.kernel[axis],
          .stride = window.strides[axis],
          .dilation = window.dilations[axis],
          .pad = window.pads[axis]};
}

using ProductsOfAxis = double (*)(const Axis&);

double products_of(const Window& window, const Dims& inputs, const Dims& outputs,
                   ProductsOfAxis of_axis) {
  double products = 1;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    products *= of_axis(axis_of(window, inputs, outputs, axis));
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
  double operator()(const GroupedGemm& product) const { return product.flops(); }
  double operator()(const SparseProduct& product) const { return product.flops(); }
  double operator()(const Attention& attention) const { return attention.least_flops(); }
  double operator()(const AttentionGradient& gradient) const { return gradient.least_flops(); }
  double operator()(const Recurrent& recurrent) const {
    const std::int64_t with_state = recurrent.steps - (recurrent.initial ? 0 : 1);
    const double products =
        real_count({recurrent.steps, recurrent.layer_inputs(0)}) +
        real_count({recurrent.layers - 1, recurrent.steps, recurrent.layer_inputs(1)}) +
        real_count({recurrent.layers, with_state, recurrent.hidden});
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
      share *= touched_inputs(one) / number(one.inputs);
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

/// Keys and values that no query sees: those before the first one's window.
double unseen_elements(const Attention& shape) {
  if (shape.queries == 0) return 0;
  const std::int64_t unseen = shape.visible_keys(0).first;
  return number(shape.batch * shape.kv_heads) * number(unseen * (shape.size + shape.value_size));
}

}  // namespace

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
  if (const auto* attention = std::get_if<Attention>(&problem.shape)) {
    bytes -= unseen_elements(*attention) * number(element_bytes(precision));
  }
  const double share = needed_share(problem.shape);
  if (share < 1) {
    const double input = number(element_count(inputs(problem).front().dims));
    bytes -= (1 - share) * input * number(element_bytes(precision));
  }
  return std::max(0.0, bytes);
}

double in_place_bytes(const Problem& problem, Precision precision) {
  const Dims result = output(problem);
  bool replaces = problem.epilogue.residual;
  if (const auto* binary = std::get_if<Binary>(&problem.shape)) {
    replaces = binary->kind == BinaryKind::add && (binary->a == result || binary->b == result);
  }
  return replaces ? number(element_count(result)) * number(element_bytes(precision)) : 0;
}

double least_bytes(const Problem& problem, Precision precision) {
  return least_read_bytes(problem, precision) + number(work(problem, precision).bytes_written);
}

}  // namespace benanza
