#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "suites/cudnn/ops/deconvolution/deconvolution.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

// In the order of cudnnConvolutionBwdDataAlgo_t.
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> algorithm_names{
    "algo_0", "algo_1", "fft", "fft_tiling", "winograd", "winograd_nonfused"};

}  // namespace

Padding split_output_padding(const Deconvolution& shape) {
  const Window& window = shape.window;
  const std::size_t rank = window.rank();
  const Dims input = spatial(shape.input);
  const Dims output = window.transposed_output(input);
  Padding padding{.symmetric = Dims(rank), .begin = Dims(rank), .end = Dims(rank)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t first = window.pads[axis];
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    // With a pad of p, the library writes `least` - 2 p to `least` + stride - 1 - 2 p pixels.
    const std::int64_t least = (input[axis] - 1) * window.strides[axis] + reach;
    const std::int64_t most = least + window.strides[axis] - 1;
    const std::int64_t pad = std::min(first, most - output[axis] - first);
    if (pad < 0) {
      throw harness::Unsupported(
          "cuDNN computes no pixels a stride beyond the last input's: output padding " +
          std::to_string(output[axis] + first - least) + ", stride " +
          std::to_string(window.strides[axis]));
    }
    const std::int64_t begin = first - pad;
    const std::int64_t written = std::max(output[axis] + begin, least - 2 * pad);
    padding.symmetric[axis] = pad;
    padding.begin[axis] = begin;
    padding.end[axis] = written - output[axis] - begin;
  }
  return padding;
}

DeconvolutionCall map_deconvolution(const Deconvolution& shape, Precision precision,
                                    Layout layout) {
  const Padding padding = split_output_padding(shape);
  Dims weights{shape.input[1], shape.filters / shape.groups};
  weights.insert(weights.end(), shape.window.kernel.begin(), shape.window.kernel.end());

  DeconvolutionCall call;
  call.input = dense(precision, shape.input, layout);
  call.weights = dense(precision, weights, layout);
  call.output = dense(precision, shape.output(), layout);
  if (padding.needs_copy()) call.larger = pad_input(call.output, layout, padding);
  call.pads = at_least_2d(padding.symmetric, 0);
  call.strides = at_least_2d(shape.window.strides, 1);
  call.dilations = at_least_2d(shape.window.dilations, 1);
  call.groups = shape.groups;
  return call;
}

DeconvolutionDescriptors describe(const DeconvolutionCall& call, Layout layout,
                                  Precision precision) {
  return {.input = make_tensor(call.input),
          .weights = make_filter(call.weights, layout),
          .written = make_tensor(call.written_by_library()),
          .interior = call.larger ? make_tensor(call.larger->interior.format) : nullptr,
          .output = make_tensor(call.output),
          .convolution =
              make_convolution(call.pads, call.strides, call.dilations, call.groups, precision)};
}

std::string_view to_string(cudnnConvolutionBwdDataAlgo_t algorithm) {
  return algorithm_names.at(static_cast<std::size_t>(algorithm));
}

cudnnConvolutionBwdDataAlgo_t parse_deconvolution_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithm_names, name);
  if (found == algorithm_names.end()) {
    throw std::invalid_argument("cuDNN has no transposed convolution algorithm '" +
                                std::string(name) + "'");
  }
  return static_cast<cudnnConvolutionBwdDataAlgo_t>(found - algorithm_names.begin());
}

}  // namespace benanza::cudnn
