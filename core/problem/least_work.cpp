#include "core/problem/least_work.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace benanza {
namespace {

/// Products of two extents exceed 64 bits.
using Wide = __int128;

Wide floor_of(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
Wide ceil_of(Wide a, Wide b) { return -floor_of(-a, b); }
Wide rest_of(Wide a, Wide b) { return a - floor_of(a, b) * b; }

/// The sum of floor((slope i + offset) / divisor) for i from 0 to count - 1; nothing is negative.
/// As in the Euclidean algorithm, each turn exchanges slope and divisor.
Wide sum_of_floors(Wide count, Wide divisor, Wide slope, Wide offset) {
  Wide sum = 0;
  while (true) {
    sum += count * (count - 1) / 2 * (slope / divisor) + count * (offset / divisor);
    slope %= divisor;
    offset %= divisor;
    const Wide last = slope * count + offset;
    if (last < divisor) return sum;
    count = last / divisor;
    offset = last % divisor;
    std::swap(slope, divisor);
  }
}

/// Numbers 0, step, 2 step, ...
struct Multiples {
  Wide count = 0;
  Wide step = 1;
};

/// Pairs of a number of `a` and one of `b` whose sum is below `limit`.
Wide pairs_below(Wide limit, const Multiples& a, const Multiples& b) {
  if (limit <= 0) return 0;
  const Wide some = std::min(b.count, (limit - 1) / b.step + 1);
  // For the first numbers of b, all of a.
  const Wide room = limit - 1 - (a.count - 1) * a.step;
  const Wide full = room < 0 ? 0 : std::min(some, room / b.step + 1);
  const Wide rest = some - full;
  if (rest == 0) return full * a.count;
  return full * a.count + rest +
         sum_of_floors(rest, a.step, b.step, limit - 1 - (some - 1) * b.step);
}

/// A sum at stride and dilation 1: output a and tap b use input a + b, which exists from `first` to
/// `last`.
struct Sum {
  Wide outputs = 0;
  Wide taps = 0;
  Wide first = 0;
  Wide last = 0;

  /// Limits the inputs to those in reach; false if there are none.
  bool clip() {
    first = std::max<Wide>(first, 0);
    last = std::min(last, outputs + taps - 2);
    return first <= last;
  }
};

/// Begin, count and size of the classes of numbers below `total` that are congruent modulo
/// `modulus` and have the same size.
struct Classes {
  Wide begin = 0;
  Wide count = 0;
  Wide size = 0;
};

std::array<Classes, 2> classes_of(Wide total, Wide modulus) {
  const Wide larger = total % modulus;
  return {{{0, larger, total / modulus + 1}, {larger, modulus - larger, total / modulus}}};
}

/// Calls use(sum, count) for the sums that the axis is made of; equal ones come together.
template <class Use>
void for_each_sum(const Axis& axis, const Use& use) {
  if (axis.inputs <= 0 || axis.outputs <= 0 || axis.kernel <= 0) return;
  const std::int64_t common = std::gcd(axis.stride, axis.dilation);
  const Wide stride = axis.stride / common;
  const Wide dilation = axis.dilation / common;
  const Wide period = stride * dilation;
  // The inputs that exist, counted from the first tap of the first output.
  const Wide first = ceil_of(axis.pad, common);
  const Wide last = floor_of(Wide{axis.inputs} - 1 + axis.pad, common);
  for (const Classes& outputs : classes_of(axis.outputs, dilation)) {
    for (const Classes& taps : classes_of(axis.kernel, stride)) {
      if (outputs.count == 0 || outputs.size == 0 || taps.count == 0 || taps.size == 0) continue;
      // Output class u and tap class v use inputs from u * stride + v * dilation on, in steps of
      // the period.
      const Multiples u{outputs.count, stride};
      const Multiples v{taps.count, dilation};
      const Wide begin = outputs.begin * stride + taps.begin * dilation;
      const Wide end = begin + (u.count - 1) * stride + (v.count - 1) * dilation + 1;
      // Where the first or the last input that exists becomes another one.
      std::vector<Wide> cuts{begin, end};
      for (const Wide edge : {first, last + 1}) {
        const Wide next = begin + 1;
        for (Wide cut = next + rest_of(edge - next, period); cut < end; cut += period) {
          cuts.push_back(cut);
        }
      }
      std::ranges::sort(cuts);
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const Wide count =
            pairs_below(cuts[i + 1] - begin, u, v) - pairs_below(cuts[i] - begin, u, v);
        Sum sum{outputs.size, taps.size, ceil_of(first - cuts[i], period),
                floor_of(last - cuts[i], period)};
        if (count > 0 && sum.clip()) use(sum, count);
      }
    }
  }
}

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

/// Of the pixels of a window's input, those that some output uses.
Share used_pixels(const Window& window, const Dims& input, const Dims& output) {
  Share share;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const Axis one = axis_of(window, spatial(input), spatial(output), axis);
    share.part *= static_cast<std::int64_t>(touched_inputs(one));
    share.of *= one.inputs;
  }
  return share;
}

/// Of a window's taps, those that meet an input.
Share used_taps(const Window& window, const Dims& input, const Dims& output) {
  Share share;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const Axis one = axis_of(window, spatial(input), spatial(output), axis);
    share.part *= touched_taps(one);
    share.of *= one.kernel;
  }
  return share;
}

struct Needed {
  std::size_t operand;

  Share operator()(const Convolution& conv) const {
    if (operand == 0) return used_pixels(conv.window, conv.input, conv.output());
    return operand == 1 ? used_taps(conv.window, conv.input, conv.output()) : Share();
  }
  Share operator()(const ConvolutionFilterGradient& gradient) const {
    return operand == 0 ? (*this)(gradient.forward) : Share();
  }
  Share operator()(const Deconvolution& deconv) const {
    return operand == 1 ? used_taps(deconv.window, deconv.output(), deconv.input) : Share();
  }
  Share operator()(const Pooling& pooling) const {
    return operand == 0 ? used_pixels(pooling.window, pooling.input, pooling.output()) : Share();
  }
  Share operator()(const Resampling&) const { return {.part = 0}; }
  /// One step that starts with zeros multiplies nothing by the recurrent weights.
  Share operator()(const Recurrent& recurrent) const {
    constexpr std::size_t recurrence = 2;
    const bool is_needed = operand != recurrence || recurrent.initial || recurrent.steps > 1;
    return {.part = is_needed ? 1 : 0};
  }
  template <class Other>
  Share operator()(const Other&) const {
    return {};
  }
};

/// Keys and values that no query sees: those before the first one's window.
double unseen_elements(const Attention& shape) {
  if (shape.queries == 0) return 0;
  const std::int64_t unseen = shape.visible_keys(0).first;
  return number(shape.batch * shape.kv_heads) * number(unseen * (shape.size + shape.value_size));
}

}  // namespace

double all_products(const Axis& axis) {
  Wide all = 0;
  for_each_sum(axis, [&](const Sum& sum, Wide count) {
    const auto below = [&](Wide limit) {
      return pairs_below(limit, {sum.outputs, 1}, {sum.taps, 1});
    };
    all += count * (below(sum.last + 1) - below(sum.first));
  });
  return static_cast<double>(all);
}

double least_products(const Axis& axis) {
  Wide least = 0;
  for_each_sum(axis, [&](const Sum& sum, Wide count) {
    // Those of `others` outputs that meet one of `total` taps on an input, or the reverse.
    const auto met = [&](Wide total, Wide others) {
      return std::min(total - 1, sum.last) - std::max<Wide>(0, sum.first - others + 1) + 1;
    };
    const Wide inputs = sum.last - sum.first + 1;
    const Wide outputs = met(sum.outputs, sum.taps);
    const Wide taps = met(sum.taps, sum.outputs);
    least += count * (inputs + outputs + taps - std::max({inputs, outputs, taps}) - 1);
  });
  return static_cast<double>(least);
}

double touched_inputs(const Axis& axis) {
  Wide touched = 0;
  for_each_sum(axis,
               [&](const Sum& sum, Wide count) { touched += count * (sum.last - sum.first + 1); });
  return static_cast<double>(touched);
}

std::int64_t touched_taps(const Axis& axis) {
  constexpr std::int64_t most_tried = 1 << 16;
  if (axis.kernel > most_tried) {
    return std::min(axis.kernel, static_cast<std::int64_t>(all_products(axis)) /
                                     std::max<std::int64_t>(1, axis.outputs));
  }
  std::int64_t touched = 0;
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    const Wide begin = Wide{tap} * axis.dilation - axis.pad;
    const Wide first = begin >= 0 ? 0 : (-begin + axis.stride - 1) / axis.stride;
    if (first < axis.outputs && begin + first * axis.stride < axis.inputs) ++touched;
  }
  return touched;
}

Share needed_share(const Problem& problem, std::size_t operand) {
  return std::visit(Needed{operand}, problem.shape);
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
  if (const auto* attention = std::get_if<Attention>(&problem.shape)) {
    bytes -= unseen_elements(*attention) * number(element_bytes(precision));
  }
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const Share share = needed_share(problem, index);
    if (share.part >= share.of) continue;
    const double unread = 1 - number(share.part) / number(share.of);
    bytes -=
        unread * number(stored_bytes(problem, operands[index], index, element_bytes(precision)));
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
