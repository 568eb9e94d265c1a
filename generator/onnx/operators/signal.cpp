#include <onnx/onnx_pb.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/problem/ops/convolution.h"
#include "core/problem/ops/copy.h"
#include "core/problem/ops/gemm.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Inputs: signal (batch, length, 1 or 2), step, window, frame length. Output: (batch, frames,
/// bins, 2). Unless onesided is 0, only half of the bins.
std::vector<TensorFacts> stft_shape(const NodeView& node) {
  const Dims& signal = node.shape(0);
  if (signal.size() < 2) throw Error("a signal needs a batch and a length");
  const std::int64_t step = whole(node.scalar(1, 0));
  const std::int64_t length = node.has_input(3) ? whole(node.scalar(3, 0)) : node.shape(2).at(0);
  if (step < 1 || length < 1 || length > signal[1]) throw Error("the frames do not fit the signal");
  const bool onesided = node.flag("onesided", true);
  return {{node.input(0).type, Dims{signal[0], (signal[1] - length) / step + 1,
                                    onesided ? length / 2 + 1 : length, 2}}};
}

/// Last axis: 1 for real, 2 for complex numbers. `axis` is an attribute before opset 20.
std::vector<TensorFacts> dft_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.size() < 2) throw Error("a signal of " + join(dims, 'x') + " needs two axes");
  const bool attribute = node.opset() < 20;
  const std::int64_t stated = attribute ? node.integer("axis", 1) : whole(node.scalar(2, -2));
  const std::int64_t axis = NodeView::axis(stated, dims.size());
  const bool onesided = node.flag("onesided");
  const bool inverse = node.flag("inverse");
  std::int64_t& bins = dims[static_cast<std::size_t>(axis)];
  if (node.has_input(1)) {
    bins = whole(node.scalar(1, 0));
    if (bins < 1) throw Error("a length of " + std::to_string(bins));
  } else if (onesided && inverse) {
    bins = checked_product(2, bins - 1);
  }
  if (onesided && !inverse) bins = bins / 2 + 1;
  dims.back() = onesided && inverse ? 1 : 2;
  return {{node.input(0).type, dims}};
}

/// No library here has Fourier transforms. As a product with a constant matrix, one of n points
/// takes n times as many operations as points, which many points do not bear.
constexpr std::int64_t most_points = 1024;

void check_points(std::int64_t points) {
  if (points > most_points) {
    throw NotExpressible("no library here has Fourier transforms, and a product for " +
                         std::to_string(points) + " points would take much longer");
  }
}

/// The numbers of a point: 1, or 2 of a complex one.
std::int64_t numbers_of(const Dims& dims) {
  if (dims.back() != 1 && dims.back() != 2) {
    throw NotExpressible(std::to_string(dims.back()) + " numbers for a point, which has 1 or 2");
  }
  return dims.back();
}

/// `rows` times the matrix of a transform, which is a weight: its columns are the numbers of the
/// result.
Call transform_call(std::int64_t rows, std::int64_t read, std::int64_t made, Source signal) {
  const Gemm product{
      .m = rows, .n = made, .k = read, .batch_a = {}, .batch_b = {}, .constant_b = true};
  return call(product, {signal, from_attribute(Source::unstated)});
}

bool is_dense(const Call& copy) {
  const auto& shape = std::get<Copy>(copy.problem.shape);
  return shape.from == Dims{1} && shape.to == Dims{1};
}

/// The frames times the matrix. A window that changes multiplies them first.
Lowered lower_frames(const NodeView& node, const Dims& frames, std::int64_t step) {
  const Dims& signal = node.shape(0);
  const Dims& made = node.output_shape(0);
  const std::int64_t numbers = frames[3];
  const View from{frames, {signal[1] * numbers, step * numbers, numbers, 1}, 0};
  std::vector<Call> calls{copy_call(from, dense_view(frames))};
  if (node.has_input(2) && !node.input(2).constant) {
    calls.push_back(elementwise_call(
        BinaryKind::mul, {{frames[0] * frames[1], frames[2], numbers}, false, from_call(0)},
        {{frames[2], 1}, false, from_input(2)}));
  }
  calls.push_back(transform_call(frames[0] * frames[1], frames[2] * numbers,
                                 made.at(2) * made.at(3), last_result(calls)));
  return measured(std::move(calls));
}

/// Few libraries copy frames that overlap: a convolution along the signal has a filter for each
/// number of the result, into which a constant window is folded.
Lowered lower_stft(const NodeView& node) {
  const Dims& signal = node.shape(0);
  const Dims& made = node.output_shape(0);
  const std::int64_t numbers = signal.size() > 2 ? numbers_of(signal) : 1;
  const bool onesided = node.flag("onesided", true);
  if (onesided && numbers == 2) {
    throw NotExpressible("half of the spectrum of a complex signal");
  }
  const std::int64_t step = whole(node.scalar(1, 0));
  const std::int64_t length = node.has_input(3) ? whole(node.scalar(3, 0)) : node.shape(2).at(0);
  check_points(length);
  const bool is_fixed = !node.has_input(2) || node.input(2).constant;
  if (numbers != 1 || !is_fixed || step >= length) {
    return lower_frames(node, {made.at(0), made.at(1), length, numbers}, step);
  }
  Convolution filters;
  filters.input = {signal[0], 1, signal[1]};
  filters.filters = made.at(2) * made.at(3);
  filters.window = {.kernel = {length}, .pads = {0, 0}, .strides = {step}, .dilations = {1}};
  std::vector<Call> calls{call(filters, {from_input(0), from_attribute(Source::unstated)})};
  const Dims rows{made[0], made.at(1), filters.filters};
  Call turned = copy_call({rows, {rows[1] * rows[2], 1, rows[1]}, 0}, dense_view(rows));
  if (!is_dense(turned)) {
    turned.operands = {from_call(0)};
    calls.push_back(std::move(turned));
  }
  return measured(std::move(calls));
}

/// The view of a dense tensor whose axis `from` comes to lie at `to`.
View moved_axis(const Dims& dims, std::size_t from, std::size_t to) {
  View view = dense_view(dims);
  const auto move = [&](Dims& values) {
    const std::int64_t value = values[from];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(from));
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(to), value);
  };
  move(view.dims);
  move(view.strides);
  return view;
}

/// A product of rows along the axis, which copies bring to the end and back.
Lowered lower_dft(const NodeView& node) {
  const Dims& signal = node.shape(0);
  Dims made = node.output_shape(0);
  const bool attribute = node.opset() < 20;
  const std::int64_t stated = attribute ? node.integer("axis", 1) : whole(node.scalar(2, -2));
  const std::size_t axis = at(NodeView::axis(stated, signal.size()));
  if (axis + 1 == signal.size()) throw NotExpressible("a transform along the numbers of a point");
  const std::size_t last = signal.size() - 2;
  const std::int64_t numbers = numbers_of(signal);
  const bool onesided = node.flag("onesided");
  const bool inverse = node.flag("inverse");
  const std::int64_t length =
      node.has_input(1) ? whole(node.scalar(1, 0)) : std::max(made[axis], signal[axis]);
  check_points(length);
  if (onesided && numbers == (inverse ? 1 : 2)) {
    throw NotExpressible("half of a spectrum, of complex points");
  }
  View from = moved_axis(signal, axis, last);
  // Of a longer signal the first points; a shorter one is filled up with zeros, which no sum needs.
  const std::int64_t read = std::min(signal[axis], onesided && inverse ? length / 2 + 1 : length);
  if (read < 1) throw NotExpressible("a signal without points");
  from.dims[last] = read;
  const std::int64_t rows = element_count(from.dims) / (read * numbers);
  std::vector<Call> calls;
  Source operand = from_input(0);
  if (Call copy = copy_call(from, dense_view(from.dims)); !is_dense(copy)) {
    calls.push_back(std::move(copy));
    operand = from_call(0);
  } else if (read < signal[axis]) {
    operand.part_from = 0;
  }
  calls.push_back(transform_call(rows, read * numbers, made[axis] * made.back(), operand));
  View back = moved_axis(made, axis, last);
  back = moved_axis(back.dims, last, axis);
  if (Call copy = copy_call(back, dense_view(made)); !is_dense(copy)) {
    copy.operands = {last_result(calls)};
    calls.push_back(std::move(copy));
  }
  return measured(std::move(calls));
}

/// Real numbers to half of their spectrum, along the last axis; the numbers of a point follow.
std::vector<TensorFacts> rfft_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty() || dims.back() < 1) throw Error("a signal of " + join(dims, 'x'));
  dims.back() = dims.back() / 2 + 1;
  dims.push_back(2);
  return {{node.input(0).type, dims}};
}

/// The way back.
std::vector<TensorFacts> irfft_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.size() < 2 || dims.back() != 2 || dims.end()[-2] < 2) {
    throw Error("a spectrum of " + join(dims, 'x'));
  }
  dims.pop_back();
  dims.back() = checked_product(2, dims.back() - 1);
  return {{node.input(0).type, dims}};
}

/// Points of the real side: `dims` without the spectrum's numbers.
Lowered lower_real_transform(const NodeView& node, const Dims& reals, std::int64_t read,
                             std::int64_t made) {
  if (node.integer("signal_ndim", 1) != 1) throw NotExpressible("a transform of several axes");
  if (node.integer("onesided", 1) != 1) throw NotExpressible("a whole spectrum");
  if (node.flag("normalized")) throw NotExpressible("a normalized transform");
  check_points(reals.back());
  return measured({transform_call(element_count(reals) / reals.back(), read, made, from_input(0))});
}

Lowered lower_rfft(const NodeView& node) {
  const Dims& reals = node.shape(0);
  return lower_real_transform(node, reals, reals.back(), 2 * (reals.back() / 2 + 1));
}

Lowered lower_irfft(const NodeView& node) {
  const Dims& reals = node.output_shape(0);
  return lower_real_transform(node, reals, reals.back() + 2, reals.back());
}

/// Hann, Hamming, Blackman.
std::vector<TensorFacts> window_shape(const NodeView& node) {
  const auto type = static_cast<int>(node.integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(node.scalar(0, 0))}}};
}

/// A matrix from spectrum bins to mel bands.
std::vector<TensorFacts> mel_weights_shape(const NodeView& node) {
  const auto type = static_cast<int>(node.integer("output_datatype", ::onnx::TensorProto::FLOAT));
  return {{type, Dims{whole(node.scalar(1, 0)) / 2 + 1, whole(node.scalar(0, 0))}}};
}

}  // namespace

void register_signal(OperatorTable& table) {
  table.add("STFT", {.shapes = {{stft_shape}}, .lower = lower_stft});
  table.add("DFT", {.shapes = {{dft_shape}}, .lower = lower_dft});
  table.add("com.microsoft.Rfft", {.shapes = {{rfft_shape}}, .lower = lower_rfft});
  table.add("com.microsoft.Irfft", {.shapes = {{irfft_shape}}, .lower = lower_irfft});
  for (const auto* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
    table.add(op, {.shapes = {{window_shape}},
                   .unsupported = "no library here makes windows of signals"});
  }
  table.add("MelWeightMatrix", {.shapes = {{mel_weights_shape}},
                                .unsupported = "no library here makes bands of spectra"});
}

}  // namespace benanza::onnx
