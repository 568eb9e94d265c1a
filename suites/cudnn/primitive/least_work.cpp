#include "suites/cudnn/primitive/least_work.h"

#include <concepts>
#include <limits>
#include <vector>

namespace benanza::cudnn {
namespace {

/// Of what a window would do without edges and gaps.
struct Shares {
  /// Taps that fall on the tensor.
  double taps = 1;
  /// Elements of the tensor that a tap falls on.
  double elements = 1;
};

/// `from` windows, each with taps into a tensor of extents `onto`.
Shares shares(const Window& window, const Dims& from, const Dims& onto) {
  Shares result;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    std::vector<bool> met(static_cast<std::size_t>(onto[axis]));
    std::int64_t taps = 0;
    for (std::int64_t place = 0; place < from[axis]; ++place) {
      for (std::int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
        const std::int64_t at =
            place * window.strides[axis] - window.pads[axis] + tap * window.dilations[axis];
        if (at < 0 || at >= onto[axis]) continue;
        ++taps;
        met[static_cast<std::size_t>(at)] = true;
      }
    }
    std::int64_t elements = 0;
    for (const bool one : met) elements += one ? 1 : 0;
    result.taps *=
        static_cast<double>(taps) / static_cast<double>(from[axis] * window.kernel[axis]);
    result.elements *= static_cast<double>(elements) / static_cast<double>(onto[axis]);
  }
  return result;
}

template <class Shape>
void leave_out(Work&, const Shape&, Precision) {}

/// Windows over the input.
template <class Shape>
requires std::same_as<Shape, Convolution> || std::same_as<Shape, Pooling>
void leave_out(Work& work, const Shape& shape, Precision precision) {
  const Dims input = spatial(shape.input);
  const Shares share = shares(shape.window, shape.window.output(input), input);
  work.flops *= share.taps;
  const auto input_bytes =
      static_cast<double>(element_count(shape.input) * element_bytes(precision));
  work.bytes_read -= static_cast<std::int64_t>(input_bytes * (1 - share.elements));
}

/// Windows over the output, all of which is written.
void leave_out(Work& work, const Deconvolution& shape, Precision) {
  const Dims input = spatial(shape.input);
  work.flops *= shares(shape.window, input, shape.window.transposed_output(input)).taps;
}

/// The rest of it may run beside the products.
void leave_out(Work& work, const Attention& shape, Precision) { work.flops = shape.least_flops(); }

}  // namespace

LeastWork least_work(const harness::Variant& variant) {
  LeastWork least{.work = work(variant.problem, variant.precision)};
  std::visit([&](const auto& shape) { leave_out(least.work, shape, variant.precision); },
             variant.problem.shape);
  if (harness::transforms(variant.algorithm)) {
    least.arithmetic_saving = std::numeric_limits<double>::infinity();
  }
  return least;
}

}  // namespace benanza::cudnn
